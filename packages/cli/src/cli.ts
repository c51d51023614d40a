/** The context in which a command runs: environment, output and the connection to the server. */

import type { Connection } from '@scriptward/sdk'
import type { Command } from 'commander'
import { addressOf, type Found, findToken, openConnection, type Wanted } from './connection/connection.ts'
import { usage } from './faults.ts'
import { makeOutput, type Output, type Sink } from './output/output.ts'
import { type Progress, startProgress } from './output/progress.ts'
import { findProjectFile, type ProjectFile } from './source/project-file.ts'

/** The parts of the process environment that commands use. */
export type Surroundings = {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  readonly stdin: NodeJS.ReadStream
  readonly stdout: Sink
  readonly stderr: Sink
  /** Aborted on Ctrl-C. */
  readonly signal: AbortSignal
  readonly now: () => number
  /** Called with the server URL as soon as it is known, so that error messages can include it. */
  readonly onAddress: (url: string) => void
}

export type Cli = Surroundings & {
  readonly out: Output
  progress(text: string): Progress
  /** The nearest `scriptward.json`, in the working directory or one of its parents. */
  projectFile(): Promise<ProjectFile | undefined>
  address(): Promise<string>
  service(): Promise<Service>
  projectId(): Promise<string>
}

export type Service = { readonly url: string; readonly found: Found; readonly client: Connection }

/** Options shared by most commands. */
export type CommonFlags = { readonly json?: true; readonly url?: string; readonly project?: string }

/** The implementation of a command. `words` contains the positional arguments in declaration order. */
export type Run<Flags> = (cli: Cli, flags: Flags, words: Words) => Promise<void>
/** Use `list` for a variadic argument such as `<file...>`. An omitted argument is an empty string. */
export type Words = {
  readonly text: (index: number) => string
  readonly list: (index: number) => readonly string[]
}

/** Adapts a command to commander's calling convention. */
export function acting<Flags>(around: Surroundings, run: Run<Flags & CommonFlags>) {
  return async (...given: unknown[]): Promise<void> => {
    const command = given.at(-1) as Command
    const flags = command.optsWithGlobals<Flags & CommonFlags>()
    const words = command.processedArgs as unknown[]
    const text = (index: number) => String(words[index] ?? '')
    const list = (index: number) => (words[index] ?? []) as readonly string[]
    await run(makeCli(around, flags), flags, { text, list })
  }
}

function makeCli(around: Surroundings, flags: CommonFlags): Cli {
  const { env, cwd, stdout, stderr, signal, now, onAddress } = around
  const out = makeOutput(stdout, stderr, { isJson: flags.json === true, now })
  const projectFile = once(() => findProjectFile(cwd))
  const wanted = async (): Promise<Wanted> => ({
    env,
    url: flags.url,
    settings: (await projectFile())?.settings,
  })
  const address = once(async () => {
    const url = await addressOf(await wanted())
    onAddress(url)
    return url
  })
  return {
    ...around,
    out,
    progress: (text) => startProgress(text, out, { errors: stderr, env }),
    projectFile,
    address,
    service: once(async () => {
      const url = await address()
      const found = await findToken(url, await wanted())
      return { url, found, client: openConnection(url, { token: found.token, signal }) }
    }),
    async projectId() {
      const id = flags.project ?? (await projectFile())?.settings.project
      if (id !== undefined) return id
      throw usage(
        "No project given. Pass --project prj_…, or run 'scriptward init' to create scriptward.json.",
      )
    },
  }
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make()
    return made
  }
}
