/** The ordered links in the footer of visitor pages. */
import { useFieldArray, useFormContext } from 'react-hook-form'
import { ChoiceGroup } from '../../components/fields/choice-group.tsx'
import { Field } from '../../components/fields/field.tsx'
import { number } from '../../lib/format.ts'
import { text } from '../../messages/text.ts'
import type { Draft } from './branding-draft.ts'
import styles from './settings.module.css'

const MAX_LINKS = 5

export function LinksField({ errorOf }: { errorOf: (field: string) => string | undefined }) {
  const { control, register, watch } = useFormContext<Draft>()
  const { fields, append, remove, swap } = useFieldArray({ control, name: 'links' })
  const links = watch('links')
  const nameOf = (at: number) => links[at]?.title.trim() || number(at + 1)
  return (
    <ChoiceGroup legend={text.settings.links} hint={text.settings.linksHint}>
      {fields.map(({ id }, at) => (
        <div key={id} className={styles.link}>
          <Field
            label={text.settings.linkTitle}
            error={errorOf(`links.${at}.title`)}
            autoComplete="off"
            {...register(`links.${at}.title`)}
          />
          <Field
            label={text.settings.linkUrl}
            error={errorOf(`links.${at}.url`)}
            type="url"
            autoComplete="off"
            {...register(`links.${at}.url`)}
          />
          <div className={styles.moves}>
            <button
              type="button"
              aria-label={text.settings.linkUp(nameOf(at))}
              disabled={at === 0}
              onClick={() => swap(at, at - 1)}
            >
              ↑
            </button>
            <button
              type="button"
              aria-label={text.settings.removeLink(nameOf(at))}
              onClick={() => remove(at)}
            >
              ×
            </button>
          </div>
        </div>
      ))}
      {fields.length < MAX_LINKS && (
        <div className="bar">
          <button type="button" onClick={() => append({ title: '', url: '' })}>
            {text.settings.addLink}
          </button>
        </div>
      )}
    </ChoiceGroup>
  )
}
