export declare function onStop(first: (signal: string) => void, again: (signal: string) => void): void
