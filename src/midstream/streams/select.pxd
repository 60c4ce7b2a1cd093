from ..accumulators.select cimport JsonSelectAccumulator
