/**
 * Finds API changes that break existing programs. These programs keep sending the same requests, which must
 * still be accepted, and keep reading the same fields, which must still be returned.
 */
import type { Field, Fields, Surface } from './public-surface.ts'

/** Returns one line per breaking change, each with the operation. */
export function breaksOf(before: Surface, now: Surface): string[] {
  return [...before].flatMap(([operation, fields]) => {
    const others = now.get(operation)
    if (others === undefined) return [`${operation} was removed`]
    const isSent = (path: string) => !operation.startsWith('EVENT ') && !/^(\d|codes)/.test(path)
    return fieldBreaks(fields, others, isSent).map((text) => `${operation}: ${text}`)
  })
}

type IsSent = (path: string) => boolean

function fieldBreaks(before: Fields, now: Fields, isSent: IsSent): string[] {
  const changed = [...before].flatMap(([path, field]) => {
    const other = now.get(path)
    if (other !== undefined) return changeBreaks(path, { before: field, now: other, sent: isSent(path) })
    const isOutermost = !before.has(parentOf(path)) || now.has(parentOf(path))
    return isOutermost ? [`${path} was removed`] : []
  })
  const added = [...now.keys()].filter((path) => !before.has(path) && isSent(path))
  const demanded = added.filter((path) => {
    const isPossible = before.has(parentOf(path)) || !now.has(parentOf(path))
    return isPossible && !now.get(path)?.isOptional && !/(\[\]|\*)$/.test(path)
  })
  return [...changed, ...demanded.map((path) => `${path} is now required`)]
}

/** Returns the path of the containing field: `200.users[].key` → `200.users[]` → `200.users`. */
function parentOf(path: string): string {
  return path.endsWith('[]') ? path.slice(0, -2) : path.slice(0, Math.max(path.lastIndexOf('.'), 0))
}

type Change = { readonly before: Field; readonly now: Field; readonly sent: boolean }

function changeBreaks(path: string, { before, now, sent }: Change): string[] {
  const isDemanded = sent && before.isOptional && !now.isOptional
  const mayMiss = !sent && !before.isOptional && now.isOptional
  return [
    ...typeBreaks(path, { before, now, sent }),
    ...(isDemanded ? [`${path} is now required`] : []),
    ...(mayMiss ? [`${path} may now be missing`] : []),
  ]
}

function typeBreaks(path: string, { before: { types }, now: { types: others }, sent }: Change): string[] {
  const [needed, given] = sent ? [types, others] : [others, types]
  const bases = given.map(baseOf)
  if (needed.some((type) => !accepts(bases, baseOf(type))))
    return [`${path} changed from ${types.join(' or ')} to ${others.join(' or ')}`]
  const gone = types.filter(
    (type) => type !== baseOf(type) && !others.includes(type) && !accepts(others, baseOf(type)),
  )
  const isListed = sent && types.some((type) => type === baseOf(type) && !accepts(others, type))
  return [
    ...gone.map((value) => `${path}: the value ${value} was removed`),
    ...(isListed ? [`${path} now accepts only some values`] : []),
  ]
}

function accepts(types: readonly string[], type: string): boolean {
  return types.includes(type) || types.includes('any') || (type === 'integer' && types.includes('number'))
}

/** Returns the type without a listed value. A plain type is returned unchanged. */
function baseOf(type: string): string {
  if (type.startsWith('"')) return 'string'
  if (/^(true|false)$/.test(type)) return 'boolean'
  if (/^-?\d/.test(type)) return type.includes('.') ? 'number' : 'integer'
  return type
}
