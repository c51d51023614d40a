/** What a job posts that is held to a processor time, whenever it can take a task. */
export const READY = 'ready'
