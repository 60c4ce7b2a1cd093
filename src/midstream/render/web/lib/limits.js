/** Limits on what a document may hold. RFC 8259, section 9, allows an implementation to set them. */

// the defaults of Python's Limits
export const MAX_DEPTH = 1000;
export const MAX_NUMBER = 4300;
/** How many repairs are kept of those that a sender reports. */
export const MAX_REPAIRS = 1000;

const DEFAULTS = { maxDepth: MAX_DEPTH, maxString: null, maxNumber: MAX_NUMBER, maxDocument: null };

/**
 * Return complete limits; null lifts a limit.
 *
 * Depth counts open containers; the others count characters: of a decoded string or key, of a number as
 * written, of a document with the white space around it.
 */
export function readLimits(given) {
  const limits = {};
  for (const [name, value] of Object.entries({ ...DEFAULTS, ...given })) {
    if (!Object.hasOwn(DEFAULTS, name)) throw new TypeError(`${name} is not a limit`);
    const limit = value === undefined ? DEFAULTS[name] : value;
    if (limit !== null && !(Number.isSafeInteger(limit) && limit >= 0)) {
      throw new TypeError(`${name} must be a count or null, not ${limit}`);
    }
    limits[name] = limit ?? Infinity;
  }
  return limits;
}
