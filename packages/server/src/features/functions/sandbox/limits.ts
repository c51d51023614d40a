/** What one call of a server function may have. */
import { MAX_MESSAGE_DEPTH } from '@scriptward/client/messages'

/** Processor time. */
export const CALL_MS = 50
/** The memory of the interpreter has this size. */
export const CALL_MB = 16

/** Bytes of JSON: of all values of a call, and of its answer. */
export const MAX_VALUES_BYTES = 16 * 1024
/** Lists and objects in each other; a loader reads an answer inside of three more. */
export const DEEPEST_VALUE = MAX_MESSAGE_DEPTH - 3
