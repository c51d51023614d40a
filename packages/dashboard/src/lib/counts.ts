/** Parses integers from form fields. */

/** Also returns true for an empty field, which means that no number is set. */
export function isCount(typed: string, min: number, max: number): boolean {
  const count = Number(typed)
  return typed.trim() === '' || (/^\s*\d+\s*$/.test(typed) && count >= min && count <= max)
}

/** Returns null for an empty field. */
export function countIn(typed: string): number | null {
  return typed.trim() === '' ? null : Number(typed)
}

export function countText(count: number | null): string {
  return count === null ? '' : String(count)
}
