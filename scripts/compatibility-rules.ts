/**
 * What of a changed surface breaks programs that were written for the earlier one. They send what they always sent, so none
 * of that may be refused; they read what they always read, so all of it has to be there.
 */
import type { Field, Fields, Surface } from './public-surface.ts'

/** One line for each break, with the operation that it is in. */
export function breaksOf(before: Surface, now: Surface): string[] {
  return [...before].flatMap(([operation, fields]) => {
    const others = now.get(operation)
    if (others === undefined) return [`${operation} is gone`]
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
    return isOutermost ? [`${path} is gone`] : []
  })
  const added = [...now.keys()].filter((path) => !before.has(path) && isSent(path))
  const demanded = added.filter((path) => {
    const isPossible = before.has(parentOf(path)) || !now.has(parentOf(path))
    return isPossible && !now.get(path)?.isOptional && !/(\[\]|\*)$/.test(path)
  })
  return [...changed, ...demanded.map((path) => `${path} is required now`)]
}

/** What a field is directly in: `200.users[].key` → `200.users[]` → `200.users`. */
function parentOf(path: string): string {
  return path.endsWith('[]') ? path.slice(0, -2) : path.slice(0, Math.max(path.lastIndexOf('.'), 0))
}

type Change = { readonly before: Field; readonly now: Field; readonly sent: boolean }

function changeBreaks(path: string, { before, now, sent }: Change): string[] {
  const isDemanded = sent && before.isOptional && !now.isOptional
  const mayMiss = !sent && !before.isOptional && now.isOptional
  return [
    ...typeBreaks(path, { before, now, sent }),
    ...(isDemanded ? [`${path} is required now`] : []),
    ...(mayMiss ? [`${path} may be missing now`] : []),
  ]
}

function typeBreaks(path: string, { before: { types }, now: { types: others }, sent }: Change): string[] {
  const [needed, given] = sent ? [types, others] : [others, types]
  const bases = given.map(baseOf)
  if (needed.some((type) => !accepts(bases, baseOf(type))))
    return [`${path} was ${types.join(' or ')} and is ${others.join(' or ')}`]
  const gone = types.filter(
    (type) => type !== baseOf(type) && !others.includes(type) && !accepts(others, baseOf(type)),
  )
  const isListed = sent && types.some((type) => type === baseOf(type) && !accepts(others, type))
  return [
    ...gone.map((value) => `${path}: the value ${value} is gone`),
    ...(isListed ? [`${path} takes only some values now`] : []),
  ]
}

function accepts(types: readonly string[], type: string): boolean {
  return types.includes(type) || types.includes('any') || (type === 'integer' && types.includes('number'))
}

/** The type of a value that is listed by itself; of a type, the type. */
function baseOf(type: string): string {
  if (type.startsWith('"')) return 'string'
  if (/^(true|false)$/.test(type)) return 'boolean'
  if (/^-?\d/.test(type)) return type.includes('.') ? 'number' : 'integer'
  return type
}
