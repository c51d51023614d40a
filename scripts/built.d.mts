export type Part = 'reference' | 'sdk' | 'dashboard' | 'playground' | 'programs'

export const PARTS: Readonly<
  Record<Part, { readonly sources: readonly string[]; readonly outputs: readonly string[] }>
>
export function buildChanged(names: readonly Part[], node: string, env: NodeJS.ProcessEnv): void
export function makeWorkFolder(): string
export function replaceFolder(target: string, made: string): void
