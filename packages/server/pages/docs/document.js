/** The OpenAPI document of this service, as the page needs it: groups of operations and events, each found by its name. */

const UNVERSIONED = /^\/(customers|projects|users|scripts|adsystems|data)\//

export async function loadDocument() {
  const answer = await fetch('/openapi.json', { credentials: 'same-origin' })
  if (!answer.ok) throw new Error(`the document could not be read: ${answer.status}`)
  const document = await answer.json()
  const operations = [...operationsOf(document), ...eventsOf(document)]
  const groups = document.tags.map((tag) => groupOf(tag, operations))
  return { info: document.info, groups, operations, schemas: document.components.schemas }
}

function operationsOf({ paths }) {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, declared]) => ({
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

/** The first clause of a summary is a title; what follows is said before the description. */
function titleOf({ summary }) {
  const [, title, rest] = /^(.*?)[.:;](?: (.*))?$/.exec(summary) ?? [summary, summary]
  const more = rest ?? ''
  return { title, more: more.slice(0, 1).toUpperCase() + more.slice(1) }
}

/** Those of `/v1` come first, because new programs use them. */
function groupOf(tag, operations) {
  const own = operations.filter(({ tags }) => tags[0] === tag.name)
  const sorted = [...own.filter((one) => !one.isUnversioned), ...own.filter((one) => one.isUnversioned)]
  return {
    name: tag.name,
    title: tag['x-displayName'] ?? tag.name,
    description: tag.description ?? '',
    operations: sorted,
  }
}

/** The first content of a body or an answer, and its media type. */
export function contentOf(holder) {
  const [type, content] = Object.entries(holder?.content ?? {})[0] ?? []
  return content && { type, ...content }
}

/** Operations in which all words are found. */
export function search(operations, text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  return operations.filter(({ name, method, path, summary }) => {
    const whole = `${name} ${method} ${path} ${summary}`.toLowerCase()
    return words.every((word) => whole.includes(word))
  })
}
