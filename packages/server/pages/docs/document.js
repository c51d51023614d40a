/**
 * The server's OpenAPI document in the form that the page needs: groups of operations and events, each
 * found by name.
 */

const UNVERSIONED = /^\/(customers|projects|users|scripts|adsystems|data)\//

export async function loadDocument() {
  const answer = await fetch('/openapi.json', { credentials: 'same-origin' })
  if (!answer.ok) throw new Error(`the document could not be read: ${answer.status}`)
  const document = resolved(await answer.json())
  const operations = [...operationsOf(document), ...eventsOf(document)]
  const groups = document.tags.map((tag) => groupOf(tag, operations))
  return { info: document.info, groups, operations }
}

/**
 * Replaces references in the document with what they refer to. Each referenced object exists only once in
 * memory.
 */
export function resolved(document) {
  const known = new Map()
  const resolve = (node) => {
    if (typeof node !== 'object' || node === null) return node
    if (Array.isArray(node)) return node.map(resolve)
    const { $ref, ...rest } = node
    const own = Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, resolve(value)]))
    return $ref === undefined ? own : { ...find($ref), ...own }
  }
  const find = ($ref) => {
    if (!known.has($ref)) {
      const [, section, name] = /^#\/components\/(\w+)\/(.+)$/.exec($ref)
      known.set($ref, resolve(document.components[section][name]))
    }
    return known.get($ref)
  }
  const { components, ...rest } = document
  return resolve(rest)
}

/** Returns the operations of a resolved document. */
export function operationsOf({ paths, security }) {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, declared]) => ({
      security,
      ...declared,
      ...titleOf(declared),
      name: declared.operationId,
      method: method.toUpperCase(),
      path,
      isUnversioned: UNVERSIONED.test(path),
    })),
  )
}

function eventsOf({ webhooks = {} }) {
  return Object.entries(webhooks).map(([type, { post }]) => ({
    ...post,
    title: post.summary.replace(/\.$/, ''),
    more: '',
    name: type,
    method: 'EVENT',
    path: type,
    isEvent: true,
  }))
}

/** The first clause of a summary is the title. The rest is shown before the description. */
function titleOf({ summary }) {
  const [, title, rest] = /^(.*?)[.:;](?: (.*))?$/.exec(summary) ?? [summary, summary]
  const more = rest ?? ''
  return { title, more: more.slice(0, 1).toUpperCase() + more.slice(1) }
}

/** Operations of `/v1` come first, because new programs use them. */
function v1First(operations) {
  return [...operations.filter((one) => !one.isUnversioned), ...operations.filter((one) => one.isUnversioned)]
}

function groupOf(tag, operations) {
  const own = operations.filter(({ tags }) => tags[0] === tag.name)
  const sorted = v1First(own)
  return {
    name: tag.name,
    title: tag['x-displayName'] ?? tag.name,
    description: tag.description ?? '',
    operations: sorted,
  }
}

/** Returns the first content of a body or response, and its media type. */
export function contentOf(holder) {
  const [type, content] = Object.entries(holder?.content ?? {})[0] ?? []
  return content && { type, ...content }
}

/** Returns the operations that match all words. */
export function search(operations, text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  return v1First(operations).filter(({ name, method, path, summary }) => {
    const whole = `${name} ${method} ${path} ${summary}`.toLowerCase()
    return words.every((word) => whole.includes(word))
  })
}
