/**
 * The menu on narrow windows, the search field and the copy buttons. Every page is complete without this
 * script.
 */
import MiniSearch from './minisearch.js'
import { makeSearch } from './search.js'

const byId = (id) => document.getElementById(id)
const [menu, field, results, groups, found] = ['menu', 'search', 'results', 'groups', 'found'].map(byId)
let find

menu.addEventListener('click', () => openMenu(menu.getAttribute('aria-expanded') !== 'true'))
field.addEventListener('focus', () => void loadSearch())
field.addEventListener('input', () => void search(field.value.trim()))
document.addEventListener('keydown', focusSearch)
for (const figure of document.querySelectorAll('.code:not(.output)')) addCopyButton(figure)
// A reader may have typed before this script was loaded.
if (field.value.trim() !== '') void search(field.value.trim())

function openMenu(isOpen) {
  menu.setAttribute('aria-expanded', String(isOpen))
}

function loadSearch() {
  find ??= fetch('search.json')
    .then((response) => response.json())
    .then((data) => makeSearch(MiniSearch, data))
    .catch(() => {
      find = undefined
    })
  return find
}

async function search(words) {
  groups.hidden = words !== ''
  if (words === '') return show([], '')
  const loaded = await loadSearch()
  if (field.value.trim() !== words) return
  if (loaded === undefined)
    return show([], "The search couldn't be loaded. Check your connection and try again.")
  const { results: hits, isExact } = loaded(words)
  show(hits, isExact ? `${hits.length} found` : 'Nothing found. These pages come closest:')
}

function show(hits, status) {
  found.textContent = status
  results.replaceChildren(...hits.map(resultOf))
}

function resultOf({ id, title, heading }) {
  const link = document.createElement('a')
  link.href = id
  const page = document.createElement('span')
  page.textContent = title
  link.append(heading, ...(heading === title ? [] : [page]))
  const item = document.createElement('li')
  item.append(link)
  return item
}

function focusSearch(event) {
  const isTyping = event.target.closest('input, textarea') !== null
  if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey) return
  event.preventDefault()
  openMenu(true)
  field.focus()
}

/** Browsers give pages access to the clipboard only over https and on localhost. */
function addCopyButton(figure) {
  if (navigator.clipboard === undefined) return
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = 'Copy'
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(figure.querySelector('code').textContent)
    button.textContent = 'Copied'
    setTimeout(() => (button.textContent = 'Copy'), 1500)
  })
  figure.append(button)
}
