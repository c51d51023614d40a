/**
 * Runs before everything else. It sets the theme, and requests the current page's data while the app's code
 * downloads, which saves a round trip. See `docs/decisions/0089-first-load.md`.
 */
import path from 'node:path'
import type { Plugin, Rolldown } from 'vite'
import { FIRST_PAGE } from './src/features/users/first-page.ts'

const FEATURES = path.join(import.meta.dirname, 'src', 'features')
const USERS_QUERY = String(
  new URLSearchParams(Object.entries(FIRST_PAGE).map(([name, value]) => [name, String(value)])),
)

/** This script is a separate file, because the content security policy forbids inline scripts. */
export function firstLoad(): Plugin {
  let name = ''
  return {
    name: 'first-load',
    apply: 'build',
    generateBundle(_options, bundle) {
      const given = [filesOfPages(bundle), USERS_QUERY].map((each) => JSON.stringify(each))
      const source = `(${start})(${given.join(', ')})`
      name = this.getFileName(this.emitFile({ type: 'asset', name: 'first-load.js', source }))
    },
    transformIndexHtml: () => [
      { tag: 'script', attrs: { src: `/dashboard/${name}` }, injectTo: 'head-prepend' },
    ],
  }
}

type Files = Readonly<Record<string, readonly string[]>>

/** Maps the folder of each feature to the files of its page, except those that every page loads. */
function filesOfPages(bundle: Rolldown.OutputBundle): Files {
  const chunks = Object.values(bundle).filter((each) => each.type === 'chunk')
  const initial = chunks
    .filter(({ isEntry }) => isEntry)
    .reduce((found, { fileName }) => withImports(bundle, fileName, found), new Set<string>())
  const pages = chunks.flatMap(({ facadeModuleId, fileName }) => {
    const [folder, file] = path.relative(FEATURES, facadeModuleId ?? '').split(path.sep)
    const files = [...withImports(bundle, fileName)].filter((each) => !initial.has(each))
    return folder !== undefined && file === 'page.tsx' ? [[folder, files] as const] : []
  })
  return Object.fromEntries(pages)
}

function withImports(bundle: Rolldown.OutputBundle, name: string, found = new Set<string>()): Set<string> {
  const chunk = bundle[name]
  if (chunk?.type !== 'chunk' || found.has(name)) return found
  found.add(name)
  for (const each of chunk.imports) withImports(bundle, each, found)
  return found
}

/** Runs in the browser, so it can't use anything else from this module. */
function start(files: Files, usersQuery: string): void {
  try {
    const theme = localStorage.getItem('theme')
    if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
  } catch {}
  const [address = '', query] = location.hash.split('?')
  const [, area, project, room = 'overview', entry] = address.split('/')
  const isOfProject = area === 'projects' && Boolean(project)
  const page = isOfProject ? room : area || 'projects'
  const [, token] = /\bscriptward-csrf=([^;]+)/.exec(document.cookie) ?? []
  if (token === undefined) return
  const isKnown = entry === undefined && Object.hasOwn(files, page)
  for (const file of (isKnown && files[page]) || []) {
    const link = { rel: 'modulepreload', crossOrigin: '', href: `/dashboard/${file}` }
    document.head.append(Object.assign(document.createElement('link'), link))
  }
  const wanted = ['/v1/me']
  if (isOfProject) wanted.push(`/v1/projects/${project}`)
  if (isOfProject && page === 'users' && query === undefined && entry === undefined)
    wanted.push(`/v1/projects/${project}/users?${usersQuery}`, `/v1/projects/${project}/users/counts`)
  const headers = { 'x-scriptward-csrf': token }
  // Used by `src/queries/connection.ts`.
  Object.assign(globalThis, { firstAnswers: new Map(wanted.map((url) => [url, fetch(url, { headers })])) })
}
