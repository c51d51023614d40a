/** `scriptward completion`: completion scripts for shells. */

import { Argument, type Command } from 'commander'
import { acting, type Surroundings } from '../cli.ts'

const SHELLS = ['bash', 'zsh', 'fish']

export function addCompletion(program: Command, around: Surroundings): void {
  program
    .command('completion')
    .description('Print a shell completion script')
    .addArgument(new Argument('<shell>', 'Shell').choices(SHELLS))
    .action(
      acting(around, async ({ stdout }, _, words) => {
        const print = { bash, zsh, fish }[words.text(0) as 'bash' | 'zsh' | 'fish']
        stdout.write(print(entriesOf(program)))
      }),
    )
}

/** `path` is the command line so far: empty at the top level, otherwise a command with its subcommands. */
type Entry = {
  readonly path: string
  readonly commands: readonly { readonly name: string; readonly words: string }[]
  readonly options: readonly string[]
}

function entriesOf(program: Command): Entry[] {
  const common = program.options.flatMap(({ long }) => long ?? [])
  const walk = (command: Command, path: string): Entry[] => {
    const commands = command.commands.map((one) => ({ name: one.name(), words: one.description() }))
    const own = command === program ? [] : command.options.flatMap(({ long }) => long ?? [])
    const inner = command.commands.flatMap((one) => walk(one, `${path} ${one.name()}`.trim()))
    return [{ path, commands, options: [...own, ...common, '--help'] }, ...inner]
  }
  return walk(program, '')
}

function candidates({ commands, options }: Entry): string {
  return [...commands.map(({ name }) => name), ...options].join(' ')
}

function bash(entries: readonly Entry[]): string {
  const cases = entries.map((entry) => `    '${entry.path}') words='${candidates(entry)}' ;;`)
  return `_scriptward() {
  local path='' word words=''
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) ;; *) [[ " ${entries.map(({ path }) => path.replace(' ', '/')).join(' ')} " == *" \${path:+$path/}$word "* ]] && path="\${path:+$path/}$word" ;; esac
  done
  case "\${path/\\// }" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
  [[ \${#COMPREPLY[@]} -gt 0 ]] || COMPREPLY=($(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -F _scriptward scriptward
`
}

/** zsh can load bash completion functions, so both shells share one script. */
function zsh(entries: readonly Entry[]): string {
  return `#compdef scriptward
autoload -U +X bashcompinit && bashcompinit
${bash(entries)}`
}

function fish(entries: readonly Entry[]): string {
  const quoted = (text: string) => `'${text.replaceAll("'", '')}'`
  const lines = entries.flatMap(({ path, commands, options }) => {
    const [first = '', second] = path.split(' ')
    const siblings = commands.map(({ name }) => name).join(' ')
    const seen = [first, second].filter(Boolean).map((word) => `__fish_seen_subcommand_from ${word}`)
    const top = path === '' ? '__fish_use_subcommand' : seen.join('; and ')
    const here = siblings && path !== '' ? `${top}; and not __fish_seen_subcommand_from ${siblings}` : top
    return [
      ...commands.map(
        ({ name, words }) => `complete -c scriptward -n ${quoted(here)} -f -a ${name} -d ${quoted(words)}`,
      ),
      ...options.map((option) => `complete -c scriptward -n ${quoted(top)} -l ${option.slice(2)}`),
    ]
  })
  return `${lines.join('\n')}\n`
}
