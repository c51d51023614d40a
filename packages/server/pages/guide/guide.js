/** The menu on a narrow window, the search, and a button that copies what a block shows. Pages are whole without it. */
import MiniSearch from './minisearch.js'

const MOST = 12
const byId = (id) => document.getElementById(id)
const [menu, field, results, groups, found] = ['menu', 'search', 'results', 'groups', 'found'].map(byId)
let index

menu.addEventListener('click', () => openMenu(menu.getAttribute('aria-expanded') !== 'true'))
field.addEventListener('focus', () => void loadIndex())
field.addEventListener('input', () => void search(field.value.trim()))
document.addEventListener('keydown', focusSearch)
for (const figure of document.querySelectorAll('.code:not(.output)')) addCopyButton(figure)

function openMenu(isOpen) {
  menu.setAttribute('aria-expanded', String(isOpen))
}

function loadIndex() {
  index ??= fetch('search.json')
    .then((answer) => answer.json())
    .then((sections) => {
      const options = { fields: ['title', 'heading', 'text'], storeFields: ['title', 'heading'] }
      const boost = { title: 3, heading: 4 }
      const made = new MiniSearch({
        ...options,
        searchOptions: { boost, prefix: true, fuzzy: 0.15, combineWith: 'AND' },
      })
      made.addAll(sections)
      return made
    })
    .catch(() => {
      index = undefined
    })
  return index
}

async function search(words) {
  groups.hidden = words !== ''
  if (words === '') return show([], '')
  const made = await loadIndex()
  if (field.value.trim() !== words) return
  if (made === undefined) return show([], 'The search could not be loaded. Try again when you are online.')
  const hits = made.search(words)
  show(hits.slice(0, MOST), `${hits.length} found`)
}

function show(hits, said) {
  found.textContent = said
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

/** By https and on localhost alone: elsewhere a browser has no clipboard for pages. */
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
