/** Chooses rights, grouped by what they are about, each with what it allows. */
import { useMe, useScopes } from '../rights.ts'
import { text } from '../text.ts'

type Given = {
  readonly chosen: ReadonlySet<string>
  readonly onChange: (chosen: ReadonlySet<string>) => void
}

/** Nobody hands out more than they have. */
export function ScopePicker({ chosen, onChange }: Given) {
  const { scopes } = useScopes()
  const me = useMe()
  const offered = scopes.filter(({ name }) => me.scopes.includes(name) && name !== 'admin')
  const groups = Map.groupBy(offered, ({ name }) => name.split(':')[0] ?? name)
  const toggle = (name: string) => onChange(chosen.symmetricDifference(new Set([name])))
  return (
    <fieldset className="stack">
      <legend>
        {text.rights} <span className="hint">{text.chosenRights(chosen.size)}</span>
      </legend>
      <div className="groups">
        {[...groups].map(([noun, ones]) => (
          <fieldset className="checks" key={noun}>
            <legend>{noun.slice(0, 1).toUpperCase() + noun.slice(1)}</legend>
            {ones.map(({ name, description }) => (
              <label className="check" key={name}>
                <input type="checkbox" checked={chosen.has(name)} onChange={() => toggle(name)} />
                <span>
                  <code>{name}</code>
                  <span className="hint">{description}</span>
                </span>
              </label>
            ))}
          </fieldset>
        ))}
      </div>
    </fieldset>
  )
}
