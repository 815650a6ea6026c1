"""What a learner is shown of what its player knows: one file a way, all of them folds over what is done and seen."""

from fogbound.interop.encoders.belief import BeliefVector
from fogbound.interop.encoders.encoder import Encoder
from fogbound.interop.encoders.history import FullHistory
from fogbound.interop.encoders.information_set import InformationSetNumber
from fogbound.interop.encoders.last_observation import LastObservation

__all__ = ["BeliefVector", "Encoder", "FullHistory", "InformationSetNumber", "LastObservation"]
