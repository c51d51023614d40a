/** What a job posts once it can take a task. The deadline of its first task begins then. */
export const READY = 'ready'
