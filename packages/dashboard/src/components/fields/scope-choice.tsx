/** Chooses permissions by resource. Only permissions that the user has can be granted. */
import { useMe, useScopes } from '../../lib/rights.ts'
import { text } from '../../messages/text.ts'
import { Check, ChoiceGroup } from './choice-group.tsx'

type Props = {
  readonly chosen: readonly string[]
  readonly onChange: (chosen: readonly string[]) => void
  readonly error?: string | undefined
}

export function ScopeChoice({ chosen, onChange, error }: Props) {
  const me = useMe()
  const { scopes } = useScopes()
  const listed = scopes.filter(({ name }) => me.scopes.includes(name) || chosen.includes(name))
  const nouns = Map.groupBy(listed, ({ name }) => nounOf(name))
  const set = (name: string, isChosen: boolean) =>
    onChange(isChosen ? [...chosen, name] : chosen.filter((one) => one !== name))
  return (
    <ChoiceGroup
      legend={text.rights}
      error={error}
      hint={listed.length < scopes.length ? text.onlyYours : undefined}
    >
      <Quick {...{ chosen, onChange }} />
      <div className="groups">
        {[...nouns].map(([noun, ofNoun]) => (
          <fieldset key={noun}>
            <legend>{text.rightsNouns[noun] ?? noun}</legend>
            <div className="checks">
              {ofNoun.map(({ name, description }) => (
                <Right key={name} {...{ name, description, chosen }} onChange={(is) => set(name, is)} />
              ))}
            </div>
          </fieldset>
        ))}
      </div>
    </ChoiceGroup>
  )
}

type RightProps = {
  readonly name: string
  readonly description: string
  readonly chosen: readonly string[]
  readonly onChange: (isChosen: boolean) => void
}

function Right({ name, description, chosen, onChange }: RightProps) {
  const wider = chosen.find((one) => one !== name && includes(one, name))
  return (
    <Check
      label={(text.rightTexts[name] ?? description).replace(/\.$/, '')}
      hint={wider === undefined ? <code>{name}</code> : text.includedIn(wider)}
      checked={wider !== undefined || chosen.includes(name)}
      disabled={wider !== undefined}
      onChange={onChange}
    />
  )
}

/** Sets of permissions that are often granted together. */
const QUICKS: readonly (readonly [keyof typeof text.quicks, readonly string[]])[] = [
  ['deploy', ['projects:read', 'scripts:write']],
  ['issue', ['users:issue']],
  ['help', ['projects:read', 'users:write', 'sessions:write']],
  ['statistics', ['projects:read', 'statistics:read']],
]

function Quick({ chosen, onChange }: Pick<Props, 'chosen' | 'onChange'>) {
  const me = useMe()
  const own = QUICKS.filter(([, scopes]) => scopes.every((one) => me.scopes.includes(one)))
  if (own.length === 0) return null
  return (
    <fieldset>
      <legend className="unseen-text">{text.quickChoices}</legend>
      <div className="bar">
        <span className="hint" aria-hidden="true">
          {text.quickChoices}
        </span>
        {own.map(([name, scopes]) => (
          <button
            key={name}
            type="button"
            aria-pressed={isSame(scopes, chosen)}
            onClick={() => onChange(scopes)}
          >
            {text.quicks[name]}
          </button>
        ))}
        {chosen.length > 0 && (
          <button type="button" className="link" onClick={() => onChange([])}>
            {text.clearRights}
          </button>
        )}
      </div>
    </fieldset>
  )
}

/** Shows two permissions by name, and the number of others. */
export function ScopesInShort({ scopes }: { scopes: readonly string[] }) {
  const shown = narrowest(scopes)
  const rest = shown.length - SHOWN
  return (
    <span title={shown.join(', ')}>
      {shown.slice(0, SHOWN).join(', ')}
      {rest > 0 && ` ${text.andMore(rest)}`}
    </span>
  )
}

const SHOWN = 3

/** Removes permissions that are included in others. */
export function narrowest(scopes: readonly string[]): string[] {
  return scopes.filter((name) => !scopes.some((other) => other !== name && includes(other, name)))
}

export function isSame(one: readonly string[] | null, other: readonly string[] | null): boolean {
  if (one === null || other === null) return one === other
  return one.length === other.length && one.every((each) => other.includes(each))
}

/** Follows the server's rule: `write` includes `read`, and `users:write` also includes `users:issue`. */
function includes(wider: string, name: string): boolean {
  if (wider === 'users:write' && name === 'users:issue') return true
  return wider.endsWith(':write') && name === `${nounOf(wider)}:read`
}

function nounOf(scope: string): string {
  return scope.split(':')[0] ?? scope
}
