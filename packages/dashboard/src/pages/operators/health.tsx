/** What the service says of itself, and what to ask on its machine. */
import { systemOpenapi, systemReadyz } from '@scriptward/sdk'
import { useQuery } from '@tanstack/react-query'
import { useCall } from '../../api.ts'
import { number } from '../../format.ts'
import { Badge } from '../../parts/badge.tsx'
import { FigureCard } from '../../parts/figure-card.tsx'
import { Panel } from '../../parts/panel.tsx'
import { Snippet } from '../../parts/snippet.tsx'
import { text } from '../../text/text.ts'
import { useCustomers, usePeople, useTiers } from './customers-api.ts'

const EVERY_MS = 15_000

export function ServiceState() {
  const customers = useCustomers().total
  const people = usePeople().total
  const tiers = useTiers().data?.length
  const shown = (count: number | undefined) => (count === undefined ? '–' : number(count))
  return (
    <>
      <div className="figures">
        <Health />
        <Version />
        <FigureCard title={text.operators.customersCount} value={shown(customers)} />
        <FigureCard title={text.operators.peopleCount} value={shown(people)} />
        <FigureCard title={text.operators.tiersCount} value={shown(tiers)} />
      </div>
      <Panel title={text.operators.onTheMachine} hint={text.operators.onTheMachineHint}>
        <Command command={text.operators.doctorCommand} hint={text.operators.doctorHint} />
        <Command command={text.operators.verifyCommand} hint={text.operators.verifyHint} />
      </Panel>
    </>
  )
}

function Health() {
  const call = useCall()
  const ready = useQuery({
    queryKey: ['operators', 'ready'],
    queryFn: async () => (await systemReadyz(call)).data.success,
    refetchInterval: EVERY_MS,
  })
  const badge =
    ready.error === null ? (
      <Badge tone="good">{text.operators.reached}</Badge>
    ) : (
      <Badge tone="bad">{text.operators.notReached}</Badge>
    )
  return <FigureCard title={text.operators.database} value={ready.isPending ? '–' : badge} />
}

function Version() {
  const call = useCall()
  const document = useQuery({
    queryKey: ['operators', 'version'],
    queryFn: async () => {
      const { data } = await systemOpenapi(call)
      return (data as unknown as { info: { version: string } }).info.version
    },
    staleTime: Number.POSITIVE_INFINITY,
  })
  return <FigureCard title={text.operators.version} value={document.data ?? '–'} />
}

function Command({ command, hint }: { command: string; hint: string }) {
  return (
    <div className="stack tight">
      <p className="hint">{hint}</p>
      <Snippet code={command} label={command} />
    </div>
  )
}
