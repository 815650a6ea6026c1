"""Other people's model files, which lie beside a developer's checkout and never in it: tests that read them skip
without them.
"""

from pathlib import Path

MODELS = Path(__file__).resolve().parents[2] / "shared" / "models"
