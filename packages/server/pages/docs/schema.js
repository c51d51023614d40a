/** The fields of a schema as a list: name, type, whether it is required, its meaning and its limits. */
import { h, rich } from './dom.js'

const MAX_DEPTH = 4

/** Returns undefined if the schema has no fields. */
export function members(schema, depth = 0) {
  const inside = insideOf(schema)
  const entries = Object.entries(inside.properties ?? {})
  if (entries.length === 0) return undefined
  const items = entries.map(([name, member]) =>
    memberItem(name, member, inside.required?.includes(name), depth),
  )
  return h('ul', { class: 'members' }, items)
}

/** A single field, or a path or query parameter. */
export function memberItem(name, schema, isRequired, depth = 0) {
  const below = depth < MAX_DEPTH ? members(schema, depth + 1) : undefined
  const limits = limitsOf(schema)
  return h(
    'li',
    {},
    h('code', { class: 'name' }, name),
    ' ',
    h('span', { class: 'type' }, typeOf(schema)),
    isRequired ? h('span', { class: 'needed' }, 'required') : undefined,
    schema.description === undefined ? undefined : h('p', {}, rich(sentence(schema.description))),
    limits === '' ? undefined : h('p', { class: 'limits' }, limits),
    below === undefined ? undefined : h('details', {}, h('summary', {}, `members of ${name}`), below),
  )
}

/** For a list, the schema of its entries. */
function insideOf(schema) {
  return schema.properties === undefined && schema.items !== undefined ? insideOf(schema.items) : schema
}

function typeOf(schema) {
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeOf).join(' or ')
  const types = [schema.type ?? 'any JSON'].flat()
  return types
    .map((type) => (type === 'array' ? `list of ${schema.items ? typeOf(schema.items) : 'anything'}` : type))
    .join(' or ')
}

function limitsOf(schema) {
  const { enum: choices, minimum, maximum, minLength, maxLength, maxItems } = schema
  const given = (choices ?? schema.items?.enum ?? []).filter((one) => one !== null)
  return [
    given.length === 0 ? '' : `One of ${given.join(', ')}`,
    minimum !== undefined && minimum !== 0 ? `at least ${minimum}` : '',
    maximum !== undefined && maximum < 2_147_483_647 ? `at most ${maximum.toLocaleString('en')}` : '',
    minLength > 1 ? `at least ${minLength} characters` : '',
    maxLength !== undefined ? `at most ${maxLength.toLocaleString('en')} characters` : '',
    maxItems !== undefined ? `at most ${maxItems.toLocaleString('en')} entries` : '',
  ]
    .filter(Boolean)
    .join(' · ')
}

/** Field descriptions have no capital letter and no period, because errors quote them too. */
function sentence(text) {
  const first = text.slice(0, 1).toUpperCase() + text.slice(1)
  return /[.!?:]$/.test(first) ? first : `${first}.`
}
