"""Tables as data frames of pandas, which is imported when one is asked for and is no dependency."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from typing import Any

from fogbound.core.errors import SpecError


def data_frame(records: Sequence[Mapping[str, Any]], columns: Sequence[str] | None = None) -> Any:
    """The records as a pandas.DataFrame.

    Parameters
    ----------
    records
        A mapping for each row.
    columns
        Which of their entries, in this order; all of them by default.

    Raises
    ------
    SpecError
        pandas is not installed.
    """
    try:
        pandas = importlib.import_module("pandas")
    except ImportError as error:
        raise SpecError("to_pandas needs pandas, which is not installed: pip install pandas, or to_csv") from error
    return pandas.DataFrame(list(records), columns=None if columns is None else list(columns))
