/** Where the output must run. `limits.ts` and the dialect table say what each target accepts. */

export const TARGETS = ['any', 'lua51', 'luajit', 'luau'] as const

/** `any` runs on all three. */
export type Target = (typeof TARGETS)[number]
