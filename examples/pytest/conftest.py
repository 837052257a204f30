pytest_plugins = ["deskworld.pytest_plugin"]
