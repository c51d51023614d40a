/** Samples of a call in the language that the reader chose for the page, and the possible responses. */

import { codeSamples } from './code-samples.js'
import { contentOf } from './document.js'
import { block, h, json } from './dom.js'

const state = { language: 'shell' }

/** `mine` contains pairs of IDs: one from the examples and the caller's own. */
export function samplesOf(operation, mine = []) {
  const samples = codeSamples(operation, location.origin)
  const body = h('div', {})
  const buttons = samples.map(({ lang, label }) =>
    h('button', { type: 'button', 'data-lang': lang, onclick: () => choose(lang) }, label),
  )
  const show = () => {
    const sample = samples.find(({ lang }) => lang === state.language) ?? samples[0]
    for (const button of buttons)
      button.setAttribute('aria-pressed', String(button.dataset.lang === sample.lang))
    body.replaceChildren(block(ofReader(sample.source, mine), `${operation.method} ${operation.path}`))
  }
  show()
  const whole = h(
    'div',
    { class: 'samples' },
    h('div', { class: 'tabs', role: 'group', 'aria-label': 'Language' }, buttons),
    body,
  )
  whole.addEventListener('languagechange', show)
  return whole
}

function choose(language) {
  state.language = language
  for (const one of document.querySelectorAll('.samples')) one.dispatchEvent(new Event('languagechange'))
}

/** Replaces the examples' IDs with those from the reader's account. */
export function ofReader(text, mine) {
  return mine.reduce((known, [shown, own]) => known.replaceAll(String(shown), String(own)), text)
}

export function exampleAnswer({ responses }) {
  const content = contentOf(responses[200])
  if (content?.example === undefined) return undefined
  return block(json(content.example), 'Example of an answer')
}

/** Errors specific to the operation come first, then those that any operation can return. */
export function errorsOf({ responses, 'x-scope': needs }) {
  const all = Object.entries(responses).flatMap(([status, response]) =>
    Object.entries(contentOf(response)?.examples ?? {}).map(([type, { value }]) => ({
      status,
      type,
      value: type === 'forbidden' && needs ? { ...value, error: { ...value.error, needs } } : value,
    })),
  )
  const [own, general] = [all.filter(isOwn), all.filter((one) => !isOwn(one))]
  if (all.length === 0) return undefined
  return h(
    'div',
    { class: 'errors' },
    h('h4', {}, 'Errors'),
    own.length === 0 ? h('p', {}, 'None of its own.') : own.map(errorItem),
    general.length === 0
      ? undefined
      : h(
          'details',
          {},
          h('summary', {}, `${general.length} that other operations have too`),
          general.map(errorItem),
        ),
  )
}

const isOwn = ({ value }) => value.error.code >= 0

function errorItem({ status, type, value }) {
  return h(
    'details',
    { class: 'error' },
    h('summary', {}, h('b', {}, status), ' ', h('code', {}, type), ' ', value.error.message),
    block(json(value), `Example of ${type}`),
  )
}
