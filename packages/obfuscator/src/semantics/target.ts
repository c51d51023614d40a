/**
 * The hosts on which the output must run. `limits.ts` and the dialect table define what each target
 * accepts.
 */

export const TARGETS = ['any', 'lua51', 'luajit', 'luau', 'lua54'] as const

/** Output for `any` runs on Lua 5.1, LuaJIT and Luau. Sources for `lua54` are written in Lua 5.4. */
export type Target = (typeof TARGETS)[number]
