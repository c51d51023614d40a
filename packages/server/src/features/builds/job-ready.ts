/** A job posts this once it can take a task. The deadline of its first task starts then. */
export const READY = 'ready'
