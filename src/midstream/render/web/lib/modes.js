/**
 * The modes of the grammar and of strings, in an order that they compare.
 *
 * This module imports nothing: minifiers replace the constants of such modules by their values.
 */

// what the grammar allows next: a value may begin ...
export const START = 0;
export const VALUE = 1;
export const FIRST_ITEM = 2;
export const NEXT_ITEM = 3;
// ... or a key, or only structure may follow ...
export const FIRST_KEY = 4;
export const NEXT_KEY = 5;
export const COLON = 6;
export const AFTER_ITEM = 7;
export const AFTER_MEMBER = 8;
export const AFTER_ROOT = 9;
// ... or the text continues inside a token
export const STRING = 10;
export const KEY = 11;
export const NUMBER = 12;
export const LITERAL = 13;
export const FAILED = 14;

// how much of an escape in a string was read: nothing, the backslash, or all four digits
export const OUTSIDE = 0;
export const FIRST = 1;
export const COMPLETE = 6;

export const QUOTE = 34;
export const BACKSLASH = 92;
export const SPACE = 32;
