/** Files that may be larger than the rule says, and why. Nothing else may. */

export type Exception = {
  readonly reason: string
  readonly fileLines?: number
  readonly functionLines?: number
  readonly parameters?: number
  readonly nesting?: number
}

export const EXCEPTIONS: Readonly<Record<string, Exception>> = {}
