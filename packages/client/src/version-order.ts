/** Compares versions by semver.org, section 11. */

/**
 * Returns whether `version` is newer than `other`. For example, 0.2.0 is newer than 0.2.0-beta.1. Build
 * metadata is ignored.
 */
export function isNewer(version: string, other: string): boolean {
  const [a, b] = [partsOf(version), partsOf(other)]
  const order = compareLists(a.core, b.core)
  if (order !== 0) return order > 0
  if (a.pre.length === 0 || b.pre.length === 0) return a.pre.length < b.pre.length
  return compareLists(a.pre, b.pre) > 0
}

/** Returns the dot-separated identifiers of `core-pre+build`. */
function partsOf(version: string): { readonly core: readonly string[]; readonly pre: readonly string[] } {
  const [, core = '', pre] = /^([^-+]*)(?:-([^+]*))?/.exec(version) ?? []
  return { core: core.split('.'), pre: pre?.split('.') ?? [] }
}

/** If all identifiers of the shorter list are equal, the longer list comes later. */
function compareLists(a: readonly string[], b: readonly string[]): number {
  for (const [index, one] of a.entries()) {
    const other = b[index]
    if (other === undefined) return 1
    const order = compareIdentifiers(one, other)
    if (order !== 0) return order
  }
  return a.length - b.length
}

/** Numbers sort before text. Text is compared in ASCII order. */
function compareIdentifiers(a: string, b: string): number {
  const [isNumber, isOtherNumber] = [a, b].map((one) => /^\d+$/.test(one))
  if (isNumber && isOtherNumber) return Number(a) - Number(b)
  if (isNumber !== isOtherNumber) return isNumber ? -1 : 1
  if (a === b) return 0
  return a < b ? -1 : 1
}
