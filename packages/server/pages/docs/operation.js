/** One operation or event, with its description on one side and samples and responses on the other. */

import { contentOf } from './document.js'
import { block, h, json, paragraphs } from './dom.js'
import { errorsOf, exampleAnswer, samplesOf } from './samples.js'
import { memberItem, members } from './schema.js'
import { tryOf } from './try.js'

export function operationSection(operation) {
  const { name, method, path, title, more, description, isUnversioned, isEvent } = operation
  const heading = h('h3', { id: name, tabindex: '-1' }, h('a', { href: `#${name}` }, title))
  return h(
    'section',
    { class: 'operation' },
    heading,
    h('p', { class: 'line' }, badge(method), h('code', {}, pathParts(path))),
    h(
      'div',
      { class: 'two' },
      h(
        'div',
        { class: 'words' },
        more === '' ? undefined : paragraphs(more),
        paragraphs(description),
        h(
          'p',
          { class: 'callers' },
          callersOf(operation),
          isUnversioned ? h('span', {}, 'Unversioned family') : undefined,
        ),
        parametersOf(operation, 'path', 'In the path'),
        parametersOf(operation, 'query', 'In the query'),
        parametersOf(operation, 'header', 'Headers'),
        bodyOf(operation, isEvent ? 'Message' : 'Body'),
        isEvent ? answersToEvent(operation) : answerOf(operation),
        isEvent ? undefined : errorsOf(operation),
      ),
      h(
        'div',
        { class: 'code' },
        isEvent ? messageOf(operation) : [samplesOf(operation), tryOf(operation), exampleAnswer(operation)],
      ),
    ),
  )
}

export function badge(method) {
  return h('span', { class: `method ${method.toLowerCase()}` }, method)
}

/** Allows a long path to wrap before its slashes. */
export function pathParts(path) {
  return path.split(/(?=\/)/).flatMap((part) => [h('wbr'), part])
}

function callersOf({ security, path, isEvent }) {
  if (isEvent) return h('span', {}, 'Sent by the service')
  const has = (name) => security.some((one) => name in one)
  if (path.includes('{api_key}')) return h('span', {}, 'API key in the path')
  const callers = [has('token') && 'API key or token', has('cookie') && 'Signed-in person'].filter(Boolean)
  return (callers.length === 0 ? ['Anyone'] : callers).map((one) => h('span', {}, one))
}

function parametersOf({ parameters }, place, title) {
  const own = parameters.filter((one) => one.in === place)
  if (own.length === 0) return undefined
  const items = own.map(({ name, schema, description, required }) =>
    memberItem(
      name,
      { ...schema, ...(description === undefined ? {} : { description }) },
      required && place !== 'path',
    ),
  )
  return h('div', {}, h('h4', {}, title), h('ul', { class: 'members' }, items))
}

function bodyOf({ requestBody }, title) {
  const content = contentOf(requestBody)
  if (content === undefined) return undefined
  const list =
    members(content.schema) ?? h('ul', { class: 'members' }, memberItem(content.type, content.schema, true))
  return h('div', {}, h('h4', {}, title), list)
}

function answerOf({ responses }) {
  const content = contentOf(responses[200])
  const list =
    content &&
    (members(content.schema) ??
      (content.schema.description && h('p', {}, `${content.type}: ${content.schema.description}.`)))
  return (
    list &&
    h('div', {}, h('h4', {}, 'Answer'), h('details', {}, h('summary', {}, 'members of the answer'), list))
  )
}

function answersToEvent({ responses }) {
  const items = Object.entries(responses).map(([status, { description }]) =>
    h('li', {}, h('code', { class: 'name' }, status), h('p', {}, description)),
  )
  return h('div', {}, h('h4', {}, 'What you answer'), h('ul', { class: 'members' }, items))
}

function messageOf({ requestBody, name }) {
  const { example } = contentOf(requestBody)
  return block(json(example), `Example of ${name}`)
}
