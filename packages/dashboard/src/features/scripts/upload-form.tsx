/**
 * The form shared by both upload pages: source, options and test script. Input is kept if an upload fails.
 */
import { type FormEvent, type ReactNode, useMemo, useState } from 'react'
import { CodeEditor } from '../../components/code/code-editor.tsx'
import { ErrorMessage } from '../../components/error-message.tsx'
import { Form } from '../../components/fields/form.tsx'
import type { KeptInput } from '../../components/fields/kept-input.ts'
import { GuardedButton } from '../../components/guarded.tsx'
import { text } from '../../messages/text.ts'
import { errorsOfFields } from '../../queries/api.ts'
import { FilesField, useFiles } from './files-field.tsx'
import { limitIn, sourceErrors } from './obfuscator-errors.ts'
import { OptionFields } from './option-fields.tsx'
import { type Options, WRITE } from './queries.ts'
import styles from './scripts.module.css'
import { SourceField } from './source-field.tsx'

export type Draft = {
  readonly source: string
  /** Path of the main file. */
  readonly path: string
  readonly files: Readonly<Record<string, string>>
  readonly options: Options
  readonly test: string
}

export const NOTHING: Draft = { source: '', path: 'main.lua', files: {}, options: {}, test: '' }

/** Returns the source-related fields of the request body. */
export function sourceOf({ source, path, files }: Draft) {
  return { script: source, ...(Object.keys(files).length > 0 && { files, script_path: path }) }
}

type Props = {
  readonly kept: KeptInput
  readonly draft: Draft
  readonly onChange: (draft: Draft) => void
  readonly onName?: (name: string) => void
  readonly submit: string
  readonly isPending: boolean
  readonly error: unknown
  readonly onSubmit: () => void
  readonly onCancel?: (() => void) | undefined
  /** Hints about the options and the test script. */
  readonly hints?: ReactNode
  readonly testHint?: ReactNode
  /** Additional fields, shown above the options. */
  readonly children?: ReactNode
}

export function UploadForm(given: Props) {
  const { draft, onChange, error, isPending, onSubmit } = given
  const [isChecked, setIsChecked] = useState(false)
  const { markers, others } = useMemo(() => sourceErrors(error), [error])
  const fields = { ...errorsOfFields(error), ...others }
  const isWithout = isChecked && draft.source.trim() === ''
  const send = (event: FormEvent) => {
    event.preventDefault()
    setIsChecked(true)
    if (draft.source.trim() !== '' && !isPending) onSubmit()
  }
  const { errors: left, take } = useFiles(draft, (tree) => onChange({ ...draft, ...tree }))
  const limit = limitIn(error)
  const refused = limit === undefined ? fields.script : text.scripts.tooLarge(limit)
  const sourceError = isWithout ? text.scripts.noSource : markers.length > 0 ? others.script : refused
  return (
    <Form kept={given.kept} onSubmit={send} noValidate>
      <SourceField
        value={draft.source}
        onChange={(source) => onChange({ ...draft, source })}
        {...(given.onName && { onName: given.onName })}
        onFiles={take}
        markers={markers}
        error={sourceError}
      />
      <FilesField
        value={draft}
        onChange={(tree) => onChange({ ...draft, ...tree })}
        onFiles={take}
        errors={[...left, ...fileErrors(fields)]}
      />
      {given.children}
      {given.hints}
      <OptionFields
        values={draft.options}
        onChange={(options) => onChange({ ...draft, options })}
        errorOf={(id) => fields[`options.${id}`]}
      />
      <TestField
        value={draft.test}
        hint={given.testHint}
        error={fields.test_script}
        onChange={(test) => onChange({ ...draft, test })}
      />
      {limit === undefined && !isKnown(error, fields, markers.length) && <ErrorMessage of={error} />}
      <div className="bar end">
        {given.onCancel && (
          <button type="button" onClick={given.onCancel}>
            {text.scripts.cancel}
          </button>
        )}
        <GuardedButton needs={WRITE} type="submit" className="main" disabled={isPending}>
          {isPending ? text.scripts.protecting : given.submit}
        </GuardedButton>
      </div>
    </Form>
  )
}

/** Prefixes each error with the path of its file. */
function fileErrors(fields: Readonly<Record<string, string>>): string[] {
  const found = Object.entries(fields).filter(([field]) => /^(files\b|script_path$)/.test(field))
  return found.flatMap(([field, words]) => words.split('\n').map((each) => `${pathIn(field)}: ${each}`))
}

function pathIn(field: string): string {
  return /^files\["(.*)"\]$/.exec(field)?.[1] ?? field
}

/** Whether every error is shown at its field or position. */
function isKnown(error: unknown, fields: Readonly<Record<string, string>>, marks: number): boolean {
  return error !== null && (marks > 0 || Object.keys(fields).length > 0)
}

type TestProps = {
  readonly value: string
  readonly hint: ReactNode
  readonly error: string | undefined
  readonly onChange: (test: string) => void
}

function TestField({ value, hint, error, onChange }: TestProps) {
  const [isOpen, setIsOpen] = useState(false)
  const isShown = isOpen || error !== undefined
  return (
    <details className={styles.more} open={isShown} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>{text.scripts.test}</summary>
      {isShown && (
        <div className="stack tight">
          <p className="hint">{text.scripts.testHint}</p>
          {hint}
          {error !== undefined && (
            <p className="field-error" role="alert" style={{ whiteSpace: 'pre-wrap' }}>
              {error}
            </p>
          )}
          <CodeEditor label={text.scripts.test} value={value} onChange={onChange} />
        </div>
      )}
    </details>
  )
}
