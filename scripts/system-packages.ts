/**
 * The Debian packages that the tests run against: real Lua interpreters and a real PostgreSQL; and what the benches ask
 * with. Root on Debian gets them installed; everybody else is told what to install.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, globSync } from 'node:fs'
import path from 'node:path'

type Need = { readonly package: string; readonly present: () => boolean }

const NEEDS: readonly Need[] = [
  { package: 'lua5.1', present: () => inPath('lua5.1') },
  { package: 'luajit', present: () => inPath('luajit') },
  { package: 'lua5.4', present: () => inPath('lua5.4') },
  { package: 'lua-socket', present: () => existsSync('/usr/share/lua/5.1/socket.lua') },
  { package: 'lua-sec', present: () => existsSync('/usr/share/lua/5.1/ssl.lua') },
  { package: 'lua-penlight', present: () => existsSync('/usr/share/lua/5.1/pl/List.lua') },
  { package: 'lua-unit', present: () => existsSync('/usr/share/lua/5.1/luaunit.lua') },
  { package: 'lua-inspect', present: () => existsSync('/usr/share/lua/5.1/inspect.lua') },
  { package: 'lua-json', present: () => existsSync('/usr/share/lua/5.1/json.lua') },
  { package: 'chromium', present: () => existsSync('/usr/bin/chromium') },
  { package: 'curl', present: () => inPath('curl') },
  { package: 'redis-server', present: () => inPath('redis-server') },
  { package: 'openssl', present: () => inPath('openssl') },
  {
    package: 'postgresql',
    present: () => inPath('initdb') || globSync('/usr/lib/postgresql/*/bin/initdb').length > 0,
  },
]

const OF_BENCHES: readonly Need[] = [{ package: 'wrk', present: () => inPath('wrk') }]

/** Installs what the tests miss, or ends the process with the command that does. */
export const installSystemPackages = (): void => install(NEEDS)

/** The same for the benches, which need more. */
export const installForBenches = (): void => install([...NEEDS, ...OF_BENCHES])

function install(needs: readonly Need[]): void {
  const missing = missingOf(needs)
  if (missing.length === 0) return
  if (process.getuid?.() !== 0 || !existsSync('/etc/debian_version')) {
    process.stderr.write(`These programs are needed; on Debian: sudo apt-get install ${missing.join(' ')}\n`)
    process.exit(1)
  }
  process.stdout.write(`installing ${missing.join(' ')}\n`)
  apt(['update', '-qq'])
  apt(['install', '-y', '-qq', '--no-install-recommends', ...missing])
  const still = missingOf(needs)
  if (still.length > 0)
    throw new Error(`apt-get installed ${still.join(', ')}, but they are not where they should be`)
}

function missingOf(needs: readonly Need[]): string[] {
  return needs.filter((need) => !need.present()).map((need) => need.package)
}

function inPath(program: string): boolean {
  return (process.env.PATH ?? '')
    .split(path.delimiter)
    .some((folder) => existsSync(path.join(folder, program)))
}

function apt(args: readonly string[]): void {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const done = spawnSync('apt-get', args, { env, stdio: ['ignore', 'ignore', 'inherit'] })
  if (done.status !== 0) throw new Error(`apt-get ${args.join(' ')} failed with exit code ${done.status}`)
}
