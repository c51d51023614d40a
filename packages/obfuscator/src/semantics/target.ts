// Where the output must run. What each target's compiler takes is in `limits.ts` and in the dialect table.

export const TARGETS = ['any', 'lua51', 'luajit', 'luau'] as const

/** `any` runs on all three. */
export type Target = (typeof TARGETS)[number]
