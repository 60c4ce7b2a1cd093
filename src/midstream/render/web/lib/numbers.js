/** The grammar of numbers (RFC 8259, section 6) as a state machine. */

// The states are named after the part read last. From ZERO on, the number may end.
export const NO_DIGIT = 0;
const MINUS = 1;
const POINT = 2;
const E = 3;
const SIGN = 4;
export const ZERO = 5;
const INTEGER = 6;
const FRACTION = 7;
const EXPONENT = 8;
export const STUCK = -1;

/** Return the state after one more character, STUCK if it cannot follow. */
export function numberStep(state, c) {
  if (c >= "0" && c <= "9") {
    if (state >= INTEGER) return state;
    if (state <= MINUS) return c === "0" ? ZERO : INTEGER;
    if (state === POINT) return FRACTION;
    return state === ZERO ? STUCK : EXPONENT;
  }
  if (c === ".") return state === ZERO || state === INTEGER ? POINT : STUCK;
  if (c === "e" || c === "E") return state >= ZERO && state <= FRACTION ? E : STUCK;
  if (c === "-") return state === NO_DIGIT ? MINUS : state === E ? SIGN : STUCK;
  if (c === "+") return state === E ? SIGN : STUCK;
  return STUCK;
}

/** Report whether a character occurs in numbers. */
export const isNumberPart = (c) => /[-+.\deE]/.test(c);
