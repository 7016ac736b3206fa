"""What holds for every test: none of them fails because the machine was slow."""

from hypothesis import settings

settings.register_profile("patient", deadline=None)
settings.load_profile("patient")
