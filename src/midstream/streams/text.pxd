from ..accumulators.fragments cimport JsonFragmentAccumulator
from ..accumulators.values cimport JsonValueAccumulator
