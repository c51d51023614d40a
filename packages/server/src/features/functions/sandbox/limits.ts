/** Limits for one call of a server function. */
import { MAX_MESSAGE_DEPTH } from '@scriptward/client/messages'

/** CPU time in milliseconds. */
export const CALL_MS = 50
/** Fixed size of the interpreter's memory, in MiB. */
export const CALL_MB = 16

/** Maximum JSON size in bytes of a call's arguments combined, and of its answer. */
export const MAX_VALUES_BYTES = 16 * 1024
/** Maximum nesting of lists and objects. The message to a loader nests an answer three levels deeper. */
export const DEEPEST_VALUE = MAX_MESSAGE_DEPTH - 3

/** Maximum amount of output per call that the author can see. */
export const MAX_LINES = 100
export const MAX_PRINTED_CHARACTERS = 8192
/** Upper bound on the UTF-8 size of these characters, in bytes. */
export const MAX_PRINTED_BYTES = 3 * MAX_PRINTED_CHARACTERS
