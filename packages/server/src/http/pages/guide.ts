/** Serves the guide at `/guide/` and `/llms.txt`. Each page is rendered when it is first requested. */
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance, FastifyReply } from 'fastify'
import {
  describeForModels,
  type GuideGroup,
  type Publication,
  readGuide,
  searchData,
} from '../../pages/guide/guide.ts'
import { renderGuidePage } from '../../pages/guide/guide-page.ts'
import { type PublicFile, packFile, respondFile } from '../bodies/compression.ts'
import { respondUnknown } from './pages.ts'
import { PAGE_HEADERS } from './static-files.ts'

/** In a clone, the documentation is next to the packages. Once installed, it is inside the package. */
const HOMES = ['../../../docs', '../../../../../docs'].map((place) => path.join(import.meta.dirname, place))
const LOOKS = path.join(import.meta.dirname, '../../../pages/guide')
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
}

type Make = () => Promise<PublicFile>
type Shelf = { readonly first: string; readonly files: ReadonlyMap<string, Make> }

/** `baseUrl` is the public URL of the server, used in `llms.txt`. */
export function addGuide(app: FastifyInstance, baseUrl: string): void {
  const home = HOMES.find((place) => existsSync(path.join(place, 'guide')))
  if (home === undefined) return
  let opened: Shelf | undefined
  const shelf = () => (opened ??= openShelf(home, baseUrl))
  const send = async (name: string, reply: FastifyReply) => {
    const make = shelf().files.get(name)
    if (make === undefined) return respondUnknown(reply)
    reply.headers({ 'content-security-policy': POLICY, ...PAGE_HEADERS })
    return respondFile(reply, await make(), 'no-cache')
  }
  const method = ['GET', 'HEAD']
  for (const url of ['/guide', '/guide/'])
    app.route({ method, url, handler: (_request, reply) => reply.redirect(`/guide/${shelf().first}`) })
  app.route<{ Params: { '*': string } }>({
    method,
    url: '/guide/*',
    handler: ({ params }, reply) => send(params['*'], reply),
  })
  app.route({ method, url: '/llms.txt', handler: (_request, reply) => send('llms.txt', reply) })
}

function openShelf(home: string, baseUrl: string): Shelf {
  const groups = readGuide(home)
  const models = textFile('text/plain; charset=utf-8', () => describeForModels(groups, baseUrl))
  const files = [...filesOf(groups, home, 'server'), ['llms.txt', models] as const]
  const kept = files.map(([name, make]): [string, Make] => [name, once(make)])
  return { first: groups[0]?.pages[0]?.name ?? '', files: new Map(kept) }
}

/** Returns every file of the guide as a static site. `home` contains the documentation. */
export async function siteOf(home: string): Promise<ReadonlyMap<string, Buffer>> {
  const files = filesOf(readGuide(home, 'site'), home, 'site')
  return new Map(await Promise.all(files.map(async ([name, make]) => [name, (await make()).bytes] as const)))
}

function filesOf(groups: readonly GuideGroup[], home: string, publication: Publication): [string, Make][] {
  return [...pagesOf(groups, publication), ...looks(), ...picturesOf(groups, home)]
}

function pagesOf(groups: readonly GuideGroup[], publication: Publication): [string, Make][] {
  const pages = groups.flatMap((group) => group.pages)
  const entries: [string, Make][] = pages.flatMap((page) => [
    [page.name, textFile('text/html; charset=utf-8', () => renderGuidePage(groups, page, publication))],
    [`${page.name}.md`, textFile('text/markdown; charset=utf-8', () => page.source)],
  ])
  const search = textFile('application/json; charset=utf-8', () => JSON.stringify(searchData(groups)))
  return [...entries, ['search.json', search]]
}

function looks(): [string, Make][] {
  const library = fileURLToPath(import.meta.resolve('minisearch'))
  const own = ['guide.css', 'guide.js', 'search.js'].map((name): [string, string] => [
    name,
    path.join(LOOKS, name),
  ])
  const shared = ['icon.svg', 'tokens.css'].map((name): [string, string] => [
    name,
    path.join(LOOKS, '../docs', name),
  ])
  return [...own, ...shared, ['minisearch.js', library] as const].map(([name, file]) => [
    name,
    fileOf(name, file),
  ])
}

function picturesOf(groups: readonly GuideGroup[], home: string): [string, Make][] {
  const bodies = groups.flatMap(({ pages }) => pages.map(({ body }) => body)).join('')
  const names = new Set([...bodies.matchAll(/<img src="(images\/[\w./-]+)"/g)].map(([, name = '']) => name))
  return [...names].map((name) => [name, fileOf(name, path.join(home, name))])
}

const textFile = (contentType: string, make: () => string) => () => packFile(Buffer.from(make()), contentType)
const fileOf = (name: string, file: string) => async () =>
  packFile(await readFile(file), TYPES[name.split('.').at(-1) ?? ''] ?? '')

function once(make: Make): Make {
  let made: Promise<PublicFile> | undefined
  return () => (made ??= make())
}
