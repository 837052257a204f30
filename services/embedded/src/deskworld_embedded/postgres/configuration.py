"""How the server is set up: small, quick to start, and safe against the death of its processes."""

from collections.abc import Mapping

SETTINGS: Mapping[str, str] = {
    "listen_addresses": "",
    # The data need not outlive the machine, but nothing that was committed may be lost when the server is killed: WAL
    # is handed to the kernel at each commit (synchronous_commit) though not forced to disk (fsync), and pages half
    # written by a killed process are repaired from WAL (full_page_writes).
    "fsync": "off",
    "synchronous_commit": "on",
    "full_page_writes": "on",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "checkpoint_timeout": "30min",
    "max_wal_size": "512MB",
    "min_wal_size": "16MB",
    "shared_buffers": "32MB",
    "max_connections": "160",
    "superuser_reserved_connections": "3",
    "max_worker_processes": "2",
    "max_parallel_workers": "0",
    "max_parallel_workers_per_gather": "0",
    "max_logical_replication_workers": "0",
    "autovacuum_max_workers": "1",
    "jit": "off",
    "huge_pages": "off",
    # In the data folder, so that nothing stays in /dev/shm when the server is killed.
    "dynamic_shared_memory_type": "mmap",
    "scram_iterations": "1",  # the passwords are long and random
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_checkpoints": "off",
    "log_autovacuum_min_duration": "-1",
    "log_line_prefix": "%m [%p] %q%u@%d ",
}
# Servers before 18 do not know this; 18 would start three processes for it.
_SETTINGS_SINCE_18: Mapping[str, str] = {"io_method": "sync"}


def settings_text(version: str) -> str:
    settings = {**SETTINGS, **(_SETTINGS_SINCE_18 if int(version.partition(".")[0]) >= 18 else {})}
    return "".join(f"{name} = '{value}'\n" for name, value in settings.items())
