/**
 * The API reference: one group of operations at a time, the list of all groups, and the caller's credential.
 */
import { callerName, openCallerDialog, useSignIn } from './caller.js'
import { loadDocument, search } from './document.js'
import { block, h, paragraphs, rich } from './dom.js'
import { badge, operationSection } from './operation.js'

const byId = (id) => document.getElementById(id)
const content = byId('content')
const menu = byId('menu')
let reference

void start()

async function start() {
  byId('caller').addEventListener('click', openCallerDialog)
  document.addEventListener('callerchange', () => {
    const [short, name] = callerName().split(': ')
    byId('caller').replaceChildren(short, h('span', {}, name === undefined ? '' : `: ${name}`))
  })
  menu.addEventListener('click', () => openMenu(menu.getAttribute('aria-expanded') !== 'true'))
  void useSignIn()
  try {
    reference = await loadDocument()
  } catch (error) {
    content.replaceChildren(
      h('h1', {}, 'Not there'),
      h('p', {}, String(error.message)),
      h('p', {}, 'Reload the page to try again.'),
    )
    return
  }
  byId('search').addEventListener('input', ({ target }) => showList(target.value))
  addEventListener('hashchange', show)
  document.addEventListener('keydown', focusSearch)
  // A reader may have typed before the document was loaded.
  showList(byId('search').value)
  show()
}

function focusSearch(event) {
  const isTyping = event.target.closest('input, textarea, select') !== null
  if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey) return
  event.preventDefault()
  openMenu(true)
  byId('search').focus()
}

function openMenu(isOpen) {
  menu.setAttribute('aria-expanded', String(isOpen))
}

/** What the URL refers to: a group, an operation in it, or neither. */
function placeOf(hash) {
  const name = decodeURIComponent(hash.slice(1))
  const operation = reference.operations.find((one) => one.name === name)
  const group = reference.groups.find((one) => one.name === (operation?.tags[0] ?? name))
  return { group, operation }
}

function show() {
  if (location.hash === '#content') return
  const { group, operation } = placeOf(location.hash)
  const name = group?.name ?? ''
  const isOther = content.dataset.group !== name
  if (isOther) {
    content.dataset.group = name
    content.replaceChildren(...(group ? groupPage(group) : introduction()))
    markGroup(name)
  }
  document.title = `${operation?.title ?? group?.title ?? 'Overview'} · Scriptward API`
  openMenu(false)
  markLink()
  const target = operation ? byId(operation.name) : undefined
  if (target) {
    target.scrollIntoView()
    target.focus({ preventScroll: true })
  } else if (isOther) scrollTo(0, 0)
}

function introduction() {
  const { info, groups } = reference
  return [
    h('h1', {}, 'Scriptward API'),
    h('div', { class: 'intro' }, paragraphs(info.description)),
    h('h2', {}, 'First call'),
    h('p', {}, 'Which credential is this, and what may it do? Any valid key or token gets an answer.'),
    block(`curl '${location.origin}/v1/me' \\\n  -H "Authorization: Bearer $SCRIPTWARD_TOKEN"`, 'First call'),
    h('h2', {}, 'Groups'),
    h(
      'ul',
      { class: 'groups' },
      groups.map(({ name, title, description }) =>
        h(
          'li',
          {},
          h('a', { href: `#${name}` }, title),
          h('p', {}, rich(`${description.split('. ')[0].replace(/\.$/, '')}.`)),
        ),
      ),
    ),
    h(
      'p',
      {},
      'The same as a document for machines: ',
      h('a', { href: '/openapi.json' }, 'openapi.json'),
      `, version ${info.version}.`,
    ),
  ]
}

function groupPage({ title, description, operations }) {
  const [versioned, others] = [
    operations.filter((one) => !one.isUnversioned),
    operations.filter((one) => one.isUnversioned),
  ]
  return [
    h('h1', {}, title),
    h('div', { class: 'intro' }, paragraphs(description)),
    ...(versioned.length === 0
      ? []
      : [h('h2', { class: 'hidden' }, 'Operations'), ...versioned.map(operationSection)]),
    ...(others.length === 0 ? [] : [h('h2', {}, 'Unversioned family'), ...others.map(operationSection)]),
  ]
}

/** Shows the groups with the current one expanded, or all matching operations during a search. */
function showList(text) {
  const isSearch = text.trim() !== ''
  const found = isSearch ? search(reference.operations, text) : []
  byId('found').textContent = isSearch ? `${found.length} found` : ''
  const groups = reference.groups.map(({ name, title, operations }) =>
    h(
      'details',
      { 'data-name': name },
      h('summary', {}, title),
      h('ul', {}, operationLinks(operations, name)),
    ),
  )
  byId('list').replaceChildren(
    ...(isSearch
      ? [h('ul', {}, found.map(operationLink))]
      : [h('a', { href: '#overview', class: 'over' }, 'Overview'), ...groups]),
  )
  if (!isSearch) markGroup(content.dataset.group ?? '')
  markLink()
}

function operationLinks(operations, group) {
  return [h('li', {}, h('a', { href: `#${group}` }, 'About')), ...operations.map(operationLink)]
}

function operationLink(operation) {
  const { name, method, path, title, isUnversioned } = operation
  const text = isUnversioned ? `${title} (unversioned)` : title
  return h(
    'li',
    {},
    h('a', { href: `#${name}`, title: `${method} ${path}` }, badge(method), h('span', {}, text)),
  )
}

function markLink() {
  for (const link of document.querySelectorAll('#list a'))
    if (link.hash === location.hash) link.setAttribute('aria-current', 'page')
    else link.removeAttribute('aria-current')
}

function markGroup(name) {
  for (const group of document.querySelectorAll('#list > details')) group.open = group.dataset.name === name
}
