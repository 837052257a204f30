"""What a case costs through all doors."""

from tests.bench.ground import Ground
from tests.bench.result import Result

ALONE = ("--parallel", "1", "--repetitions", "30")
WARM = ("--parallel", "1", "--repetitions", "3")
RULES_CASE = ("--scenarios", "price-variance-small", *ALONE)


async def rules_case(ground: Ground) -> list[Result]:
    await ground.play("--scenarios", "price-variance-small", *WARM)
    seconds = (await ground.play(*RULES_CASE)).seconds("price-variance-small")
    return [
        Result("rules case alone, p50", round(seconds["p50"], 3), "s", 0.2),
        Result("rules case alone, p95", round(seconds["p95"], 3), "s", 0.4),
    ]


async def mail_case(ground: Ground) -> list[Result]:
    seconds = (await ground.play("--scenarios", "no-po", *ALONE)).seconds("no-po")
    return [
        Result("case with a letter and its reply alone, p50", round(seconds["p50"], 3), "s", 0.5),
        Result("case with a letter and its reply alone, p95", round(seconds["p95"], 3), "s"),
    ]


async def oracle_runs(ground: Ground) -> list[Result]:
    """The five situations, twenty times each, eight side by side. CPU is of the harness and of all of the stack."""
    played = await ground.play("--agent", "oracle", "--repetitions", "20")
    runs = played.campaign["runs"]
    cpu = 1000 * (played.harness_cpu_seconds + played.stack_cpu_seconds) / runs
    return [
        Result(f"{runs} oracle runs, wall", round(played.campaign["wall_seconds"], 2), "s"),
        Result("oracle run, wall", round(1000 * played.campaign["wall_seconds"] / runs, 1), "ms a case"),
        Result("oracle run, CPU in all", round(cpu, 1), "ms a case", 120),
        Result("oracle run, CPU of the harness", round(1000 * played.harness_cpu_seconds / runs, 1), "ms a case"),
    ]
