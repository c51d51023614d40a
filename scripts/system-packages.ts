/**
 * The Debian packages that the tests need (real Lua interpreters, Python, PostgreSQL, Redis and Chromium) and
 * the load generator for the benchmarks. They are installed automatically for root on Debian unless
 * SCRIPTWARD_NO_SETUP is 1. Otherwise, the install command is printed.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
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
  { package: 'chromium-headless-shell', present: () => inPath('chromium-headless-shell') },
  { package: 'curl', present: () => inPath('curl') },
  { package: 'redis-server', present: () => inPath('redis-server') },
  { package: 'caddy', present: () => inPath('caddy') },
  { package: 'nginx', present: () => existsSync('/usr/sbin/nginx') },
  { package: 'openssl', present: () => inPath('openssl') },
  { package: 'python3', present: () => existsSync('/usr/bin/python3') },
  {
    package: 'postgresql',
    present: () => inPath('initdb') || globSync('/usr/lib/postgresql/*/bin/initdb').length > 0,
  },
]

const OF_BENCHES: readonly Need[] = [{ package: 'wrk', present: () => inPath('wrk') }]

/**
 * Installs the packages that tests need and that are missing, or prints the install command and exits with
 * code 1.
 */
export const installSystemPackages = (): Promise<void> => install(NEEDS)

/** Also installs the packages that only benchmarks need. */
export const installForBenches = (): Promise<void> => install([...NEEDS, ...OF_BENCHES])

async function install(needs: readonly Need[]): Promise<void> {
  const missing = missingOf(needs)
  if (missing.length === 0) return
  const reason = refusal()
  if (reason !== undefined) {
    const command = `apt-get install --no-install-recommends ${missing.join(' ')}`
    process.stderr.write(
      `Some programs are missing and cannot be installed automatically: ${reason}.\nOn Debian, run this as root: ${command}\n`,
    )
    process.exit(1)
  }
  process.stdout.write(`Installing Debian packages: ${missing.join(' ')}\n`)
  await apt(['update', '-qq'])
  await apt(['install', '-y', '-qq', '--no-install-recommends', ...missing])
  const still = missingOf(needs)
  if (still.length > 0)
    throw new Error(`apt-get installed ${still.join(', ')}, but not in the expected location`)
}

/** Returns why packages can't be installed here; undefined if they can. */
function refusal(): string | undefined {
  if (process.env.SCRIPTWARD_NO_SETUP === '1') return 'SCRIPTWARD_NO_SETUP is set to 1'
  if (!existsSync('/etc/debian_version')) return 'this system is not Debian'
  return process.getuid?.() === 0 ? undefined : 'you are not root'
}

function missingOf(needs: readonly Need[]): string[] {
  return needs.filter((need) => !need.present()).map((need) => need.package)
}

function inPath(program: string): boolean {
  return (process.env.PATH ?? '')
    .split(path.delimiter)
    .some((folder) => existsSync(path.join(folder, program)))
}

async function apt(args: readonly string[]): Promise<void> {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const [code] = await once(spawn('apt-get', args, { env, stdio: ['ignore', 'ignore', 'inherit'] }), 'exit')
  if (code !== 0) throw new Error(`apt-get ${args.join(' ')} failed with exit code ${code}`)
}
