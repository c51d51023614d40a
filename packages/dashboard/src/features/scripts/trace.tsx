/** Finds the key that a leaked copy was delivered to. */
import { v1ScriptsTrace } from '@scriptward/sdk'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { ErrorMessage } from '../../components/error-message.tsx'
import { Form } from '../../components/fields/form.tsx'
import { useKept, useKeptState } from '../../components/fields/use-kept.ts'
import { GuardedButton } from '../../components/guarded.tsx'
import { Panel } from '../../components/panel.tsx'
import { text } from '../../messages/text.ts'
import { errorsOfFields, useCall } from '../../queries/api.ts'
import { type Script, SOURCE } from './queries.ts'
import { SourceField } from './source-field.tsx'
import { Verdict } from './trace-verdict.tsx'

type NextScript = { readonly id: string; readonly name: string; readonly onChoose: () => void }

type Props = {
  readonly script: Pick<Script, 'id'>
  /** Lets the user choose the script, on pages for several scripts. */
  readonly choice?: ReactNode
  readonly onCopy?: (copy: string) => void
  readonly onTraced?: () => void
  /** The script to try if the copy belongs to a different script. */
  readonly next?: NextScript | undefined
}

export function Trace({ script, choice, onCopy, onTraced, next }: Props) {
  const call = useCall()
  const kept = useKept('trace', choice === undefined ? script.id : undefined)
  const [copy, setCopy] = useKeptState(kept, 'copy', '')
  const [isChecked, setIsChecked] = useState(false)
  const trace = useMutation({
    onSettled: () => onTraced?.(),
    onSuccess: () => kept.forget(),
    mutationFn: async ({ script_id, ...body }: { script_id: string; text: string }) =>
      (await v1ScriptsTrace({ ...call, path: { script_id }, body })).data,
  })
  const isOfScript = trace.variables?.script_id === script.id
  const send = (event: FormEvent) => {
    event.preventDefault()
    setIsChecked(true)
    if (copy.trim() !== '' && !trace.isPending) trace.mutate({ script_id: script.id, text: copy })
  }
  const tryNext = ({ id, onChoose }: NextScript) => {
    onChoose()
    trace.mutate({ script_id: id, text: copy })
  }
  const isWithout = isChecked && copy.trim() === ''
  return (
    <>
      <Panel title={text.scripts.trace} hint={text.scripts.traceHint}>
        <Form kept={kept} onSubmit={send} noValidate>
          <SourceField
            label={text.scripts.traceText}
            isLow
            value={copy}
            onChange={(typed) => {
              setCopy(typed)
              onCopy?.(typed)
            }}
            error={isWithout ? text.scripts.noCopy : errorsOfFields(trace.error).text}
          />
          {choice}
          {errorsOfFields(trace.error).text === undefined && <ErrorMessage of={trace.error} />}
          <div className="bar end">
            <GuardedButton needs={SOURCE} type="submit" className="main" disabled={trace.isPending}>
              {trace.isPending ? text.scripts.tracing : text.scripts.traceButton}
            </GuardedButton>
          </div>
        </Form>
      </Panel>
      {trace.data && isOfScript && (
        <Verdict found={trace.data}>{next && <TryNext next={next} onTry={tryNext} />}</Verdict>
      )}
    </>
  )
}

type NextProps = { readonly next: NextScript; readonly onTry: (next: NextScript) => void }

function TryNext({ next, onTry }: NextProps) {
  return (
    <>
      <p>{text.scripts.traceOther}</p>
      <GuardedButton needs={SOURCE} onClick={() => onTry(next)}>
        {text.scripts.traceNext(next.name)}
      </GuardedButton>
    </>
  )
}
