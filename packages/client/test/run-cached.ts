// Runs a loader line on hosts with files: Luau, and stand-alone interpreters with an executor's functions.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { READER } from './run-library.ts'
import { COMMANDS, type Outcome, runLoader, runLuau, TRANSPORTS } from './run-loader.ts'

export const CACHE_HOSTS: readonly string[] = [
  ...COMMANDS.filter(({ missing }) => !missing).map(({ name }) => name),
  'luau',
]

/** Identifies the device, so that the loader creates no file with an install ID. */
const DEVICE = `function gethwid() return 'DEVICE' end`

/** An executor's functions for an interpreter: files in `WORKSPACE`, and GET and POST requests. */
const EXECUTOR = `local open, remove, workspace = io.open, os.remove, os.getenv('WORKSPACE') .. '/'
function readfile(name)
  local file = assert(open(workspace .. name, 'rb'))
  local content = file:read('*a')
  file:close()
  return content
end
function writefile(name, content)
  local file = assert(open(workspace .. name, 'wb'))
  file:write(content)
  file:close()
end
function delfile(name) assert(remove(workspace .. name)) end
`

/** A device's workspace folder, which persists across starts. */
export class Device {
  readonly host: string
  readonly folder = mkdtempSync(join(tmpdir(), 'scriptward-device-'))

  constructor(host: string) {
    this.host = host
    mkdirSync(join(this.folder, 'workspace'))
  }

  get files(): Readonly<Record<string, string>> {
    const names = readdirSync(join(this.folder, 'workspace'))
    return Object.fromEntries(names.map((name) => [name, readFileSync(this.#place(name), 'latin1')]))
  }

  write(name: string, content: string): void {
    writeFileSync(this.#place(name), content, 'latin1')
  }

  /** Runs a program once. `before` is Lua code that changes the host's functions. */
  async start(text: string, before = ''): Promise<Outcome> {
    if (this.host !== 'luau') {
      const env = { ...TRANSPORTS.LuaSocket, WORKSPACE: join(this.folder, 'workspace') }
      return runLoader({
        command: this.host,
        text,
        before: `${EXECUTOR}${READER}\n${DEVICE}\n${before}`,
        env,
      })
    }
    const { files, ...outcome } = await runLuau({ text, before: `${DEVICE}\n${before}`, files: this.files })
    for (const [name, content] of Object.entries(files)) this.write(name, content)
    return outcome
  }

  remove(): void {
    rmSync(this.folder, { recursive: true })
  }

  #place(name: string): string {
    return join(this.folder, 'workspace', name)
  }
}

/** Returns a loader line that uses files from its first request on. */
export const lineFor = (url: string): string => `local function get(url)
  if game then return game:HttpGet(url) end
  return request({ Url = url, Method = 'GET' }).Body
end
return (loadstring or load)(get(${JSON.stringify(url)}))(...)`
