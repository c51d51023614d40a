/** Where the output must run. `limits.ts` and the dialect table say what each target accepts. */

export const TARGETS = ['any', 'lua51', 'luajit', 'luau', 'lua54'] as const

/** `any` runs on the first three. Sources for `lua54` are in Lua 5.4. */
export type Target = (typeof TARGETS)[number]
