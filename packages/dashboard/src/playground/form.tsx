/** The form for the example, the preset, the target, the seed, and the preset's options. */
import { Field } from '../components/fields/field.tsx'
import { SelectField } from '../components/fields/select-field.tsx'
import { playgroundText as words } from '../messages/en/playground.ts'
import { protectionText } from '../messages/en/protection.ts'
import { type Draft, flip, isOn, PASSES, presets, targets } from './draft.ts'
import { EXAMPLES } from './examples.ts'
import styles from './playground.module.css'

type Props = { readonly draft: Draft; readonly onChange: (changes: Partial<Draft>) => void }

type Example = keyof typeof EXAMPLES
const NAMES = Object.keys(EXAMPLES) as Example[]
const OWN = 'own'

export function Form({ draft, onChange }: Props) {
  const example = NAMES.find((name) => EXAMPLES[name] === draft.source) ?? OWN
  const own = example === OWN ? [[OWN, words.ownSource] as const] : []
  const choose = (name: string) => onChange({ source: EXAMPLES[name as Example] ?? draft.source })
  return (
    <>
      <div className="row top">
        <SelectField
          label={words.example}
          options={[...own, ...NAMES.map((name) => [name, words.examples[name]] as const)]}
          value={example}
          onChange={({ target }) => choose(target.value)}
        />
        <SelectField
          label={words.preset}
          hint={protectionText.presets[draft.preset]?.benefit}
          options={presets.map(({ id, name }) => [id, name])}
          value={draft.preset}
          onChange={({ target }) => onChange({ preset: target.value, switched: [] })}
        />
        <SelectField
          label={words.target}
          hint={targets.find(({ id }) => id === draft.target)?.description}
          options={targets.map(({ id, name }) => [id, name])}
          value={draft.target}
          onChange={({ target }) => onChange({ target: target.value })}
        />
        <Field
          label={words.seed}
          hint={words.seedHint}
          value={draft.seed}
          onChange={({ target }) => onChange({ seed: target.value })}
        />
      </div>
      <details className="entry">
        <summary>{words.switches}</summary>
        <div className={`inside ${styles.switches}`}>
          {PASSES.map(({ id, description }) => (
            <label key={id} className="check">
              <input
                type="checkbox"
                checked={isOn(draft, id)}
                onChange={() => onChange({ switched: flip(draft, id) })}
              />
              <span>
                {nameOf(id)}
                <span className="hint">{description}</span>
              </span>
            </label>
          ))}
        </div>
      </details>
    </>
  )
}

export function nameOf(option: string): string {
  return protectionText.options[option] ?? option
}
