"""The experience of the sign-up page, until a team publishes its own."""

import json
from pathlib import Path

from teamspace.sdk import OnboardingExperience

ONBOARDING = (OnboardingExperience(json.loads((Path(__file__).parent / "experience.json").read_text("utf-8"))),)
