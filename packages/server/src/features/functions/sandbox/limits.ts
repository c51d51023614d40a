/** Limits for one call of a server function. */
import { MAX_MESSAGE_DEPTH } from '@scriptward/client/messages'

/** Processor time in milliseconds. */
export const CALL_MS = 50
/** Fixed size of the interpreter's memory, in MiB. */
export const CALL_MB = 16

/** Maximum bytes of JSON, for all arguments of a call together and for its answer. */
export const MAX_VALUES_BYTES = 16 * 1024
/** Maximum nesting of lists and objects. In the message to a loader, an answer is nested three levels deeper. */
export const DEEPEST_VALUE = MAX_MESSAGE_DEPTH - 3

/** Maximum output of a call that its author sees. */
export const MAX_LINES = 100
export const MAX_PRINTED_CHARACTERS = 8192
/** At least as many bytes as these characters have in UTF-8. */
export const MAX_PRINTED_BYTES = 3 * MAX_PRINTED_CHARACTERS
