/**
 * Serves the files of the dashboard, the API reference and the playground. They contain no data, and the
 * pages that call the management API use the key that the user enters. The list of files is built at startup,
 * so nothing else in the directories can be requested.
 */
import { existsSync, readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { type PublicFile, packFile, respondFile } from '../bodies/compression.ts'
import { respondUnknown } from './pages.ts'

type StaticPages = {
  readonly prefix: string
  /** Maps names below the prefix to file paths. */
  readonly files: ReadonlyMap<string, string>
  /** Whether file names, other than those of pages, contain a digest of the file's content. */
  readonly isDigested: boolean
  /** Value of the Content-Security-Policy header. */
  readonly policy: string
  /** Policy of workers that run Luau, if there are any. */
  readonly luauPolicy?: string
}

/** The root directory of the server package. */
const HOME = path.join(import.meta.dirname, '..', '..', '..')
/** These files are packaged with the server, or built next to it in a clone. */
const DASHBOARDS = [path.join(HOME, 'dashboard'), path.join(HOME, '..', 'dashboard', 'dist')]
const PLAYGROUNDS = [path.join(HOME, 'playground'), path.join(HOME, '..', 'dashboard', 'playground', 'dist')]
const INDEX = 'index.html'
/** If another site opens these pages in a window, it gets no reference to the window. */
export const PAGE_HEADERS = {
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
} as const

/** Other kinds of files are not served. */
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
}

/** Allows resources from this server only, nothing inline, and no framing. */
const OWN_CODE_ONLY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
  "connect-src 'self'; worker-src 'self'; frame-src 'self'; " +
  "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

/**
 * Policy of a document that the dashboard loads into an iframe. The document may use its own styles and an
 * image, but it has neither the privileges of this server's pages nor network access. See
 * `docs/decisions/0020-pages-for-people.md`.
 */
const PREVIEW_ONLY =
  "sandbox allow-scripts; default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; img-src data:; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'self'"

/** The playground requests only its own files. */
const NO_REQUESTS =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
  "worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/**
 * A worker has its own file's policy. Workers that run Luau compile WebAssembly, which pages must not do. The
 * workers of the test run and of the key window's preview can connect to this server only. The playground's
 * worker can't connect to anything.
 */
const LUAU_WORKER = /^assets\/(?:luau|window)-worker-[\w-]+\.js$/
const LUAU_ONLY =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

function dashboard(): StaticPages {
  return {
    prefix: '/dashboard/',
    files: filesBelow(DASHBOARDS.find(existsSync) ?? ''),
    isDigested: true,
    policy: OWN_CODE_ONLY,
    luauPolicy: `${LUAU_ONLY}; connect-src 'self'`,
  }
}

function playground(): StaticPages {
  return {
    prefix: '/playground/',
    files: filesBelow(PLAYGROUNDS.find(existsSync) ?? ''),
    isDigested: true,
    policy: NO_REQUESTS,
    luauPolicy: LUAU_ONLY,
  }
}

function reference(): StaticPages {
  const files = filesBelow(path.join(HOME, 'pages', 'docs'))
  return { prefix: '/docs/', files, isDigested: false, policy: OWN_CODE_ONLY }
}

/** The page that the dashboard loads into an iframe to preview a project's branding. */
function preview(): StaticPages {
  const files = filesBelow(path.join(HOME, 'pages', 'preview'))
  return { prefix: '/preview/', files, isDigested: false, policy: PREVIEW_ONLY }
}

/** Returns the files of served types, without hidden files. Empty if the directory does not exist. */
function filesBelow(root: string): ReadonlyMap<string, string> {
  const names = existsSync(root) ? readdirSync(root, { recursive: true, encoding: 'utf8' }) : []
  const served = names
    .map((name) => name.replaceAll(path.sep, '/'))
    .filter((name) => path.extname(name) in TYPES && !/(^|\/)\./.test(name))
  return new Map(served.map((name) => [name, path.join(root, name)]))
}

/** Serves the directories that have been built. A server without them still serves its API. */
export function addStaticPages(app: FastifyInstance): void {
  const built = [dashboard(), playground(), reference(), preview()].filter(({ files }) => files.has(INDEX))
  for (const pages of built) addPages(app, pages)
}

function addPages(app: FastifyInstance, pages: StaticPages): void {
  const packed = new Map<string, Promise<PublicFile>>()
  const serve = async (name: string, reply: FastifyReply) => {
    const file = pages.files.get(name)
    if (file === undefined) return respondUnknown(reply)
    const found = packed.get(name) ?? readPublicFile(file)
    packed.set(name, found)
    const { policy, luauPolicy = policy } = pages
    reply.headers({
      'content-security-policy': LUAU_WORKER.test(name) ? luauPolicy : policy,
      ...PAGE_HEADERS,
    })
    return respondFile(reply, await found, cacheControlOf(pages, name))
  }
  const method = ['GET', 'HEAD']
  app.get(pages.prefix.slice(0, -1), (_request, reply) => reply.redirect(pages.prefix))
  app.route({ method, url: pages.prefix, handler: (_request, reply) => serve(INDEX, reply) })
  app.route<{ Params: { '*': string } }>({
    method,
    url: `${pages.prefix}*`,
    handler: ({ params }, reply) => serve(params['*'], reply),
  })
}

/** The dashboard's build compresses its files. Pages without a build have no compressed files. */
async function readPublicFile(file: string): Promise<PublicFile> {
  const smallest = existsSync(`${file}.br`) ? await readFile(`${file}.br`) : undefined
  return { ...(await packFile(await readFile(file), TYPES[path.extname(file)] ?? '')), smallest }
}

function cacheControlOf({ isDigested }: StaticPages, name: string): string {
  return isDigested && !name.endsWith('.html') ? 'public, max-age=31536000, immutable' : 'no-cache'
}
