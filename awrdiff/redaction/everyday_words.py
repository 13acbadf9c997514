"""Everyday lower-case words that may stay in comments, without database nouns (order, payment) and people's names."""

from __future__ import annotations

_WORDS = """
fault ability able abnormal abort abrupt absent accept access accidental accordingly achieve acknowledge acquire act
actually adapt adjust admin admit advance afaik affect afford afterwards against agent ago ahead aim ain aka alarm
alert alive allow almost alone alternative amazing among analyse analyses analyze anomaly anybody anymore anyone
anything anyway anywhere apart apparent appear append apply approach appropriate approve architect aren argue
argument arise arose arrange array arrive asap aside assign assist assume attempt attention author avoid await aware
away awful awkward backlog backwards balance barely base basis bear beat became become beginner begun behave
behavior behaviour behind believe belong bench bent beside besides best better beyond bigger bisect bite bitten
blame blew blind blown bother bought bound box branch breach break brief briefly broad broken brought browser btw
build builder built bump bunch burn burnt burst calculate calm cancel candidate capable care careful carry catch
caught cautious ceiling center centre certain certainly chain chance character chart chat cheap children chose
chosen chunk circumstance claim clarify clean cleanup clever click climb closely coarse cold collapse colleague
collect collide color colour combine comfortable comment communicate compile complain complete complex complicate
concern conclude conclusion condition confident configure confirm conflict confuse conservative consistent console
constant construct contact content context continue contrast contribution convert convince coordinate cope copy
correct couldn counter couple course cover crash crawl crazy creep crept crises crisis cross crowd curious custom
cut cycle daily damage danger dangerous dashboard daytime dead deal dealt debug decent decide decision decrease deep
deeper definite definitely degrade deliberate deliver dense deny depend deprecate depth derive describe deserve
design desire desk destroy detail detect determine develop developer diagnose diagram didn differ difficult dig
digest dip dirty disagree disappear discard disclose discover discuss dispatch disrupt distant disturb dive divide
document doesn doing don door dot double doubt downgrade download downstream downtime draw drawn drew drift drive
driven drop drove dry dug duplicate dust duty eager earlier earliest easily easy eaten edge edit effort elastic
elsewhere embed emerge emergency emit encounter engage engineer enjoy enormous enough ensure enter entirely envelope
equal equally escalate escape especially essential establish eta evaluate evening eventually everyday everything
everywhere evict exactly examine excellent except exception exchange exclude exercise exhaust exit expand expect
expensive experience expert explain explicit explode explore export expose extend extension extent external extra
extract extreme extremely eye face facility fact fair fairly faith fall fallen familiar fast faster favor favour
fear feature fed feel fell felt fetch fever fewer fight fill filter finally fine finger finish fire firefight
firewall firm fit flag flat flaw fled flew flicker flip flood floor flow fluctuate folder foot forbid forbidden
forecast forever forget forgot forgotten form formal former forth forward fought fraction fragile frame freeze
frequent fresh front froze frozen fuel fully fun furthermore future fyi gap gather general generally generic gently
genuine glad glance glitch goal gradual gradually graph great greatly green grew grind ground grow grown growth
guard guess guide guideline habit hadn halt halve halves hand handle handover handy hang happen happy hardly harm
harmless hasn hate haven headline headroom health healthy hear heavily heavy held hello helper helpful helpless
hence hesitate hey hi hid hidden hide highly hint hole honest hook hop hope hopeful hopeless horizon horrible hotfix
hourly huge hung hurry hurt idea ideal ideally identical ignore ill image imagine imho immediately imply import
impossible impression inadvertent inbox incorrect incorrectly indeed independent indices indirect inform initially
inner inside insight inspect install instantly instruct intact integrate intend intent interest interesting
interface interim intermittent internal internet interpret interrupt introduce invent invite invoke irregular
irrelevant isn isolate item jam join joy judge jump junior justify kick kill kindly knob knowledge lack lag laid
land landscape language laptop largely late lately launch layer lazy leak learn learner leave led leftover legacy
lent lesson lgtm lie life light lightly likely linear lit literally live lives ll loaded locally loop loose lose
loss loud love luck lucky lunch machine mad mail mainly maintain majority manage manager manually margin mass
massive matter mature meaning meant meantime meanwhile mechanism meet meeting member men mention mere merely mess
met metric midday midnight migrate migration mild mind mine minor minus misbehave mislead misread miss mistake
misunderstand mitigation mix modern modest module moment monthly mood mostly motion motivate mount mouse mustn mute
myself mystery naive narrow nasty native natural naturally nature nearby nearly neat necessary needn negative
neither nervous nevertheless nice nightly noise noisy noon normally notable notebook notice notification notify
nowhere nuance numb obey obscure observe obvious obviously occasion occasional occasionally occur odd oddly offend
offline ok okay older oncall ones ongoing onto onwards opinion opposite optimistic optimize ordinary organize origin
original originally ought ourselves outcome outer outlier outside overdue overhead overlap overload overnight
overran overridden overrun oversee oversight overview overwhelm pace package paged pager paid pain painful pair
panel panic paragraph parent partially partly party passive paste path patience patient pattern peer perfect
perfectly perform perhaps permission permit persist person personal perspective phone phrase pick piece pile piling
pipe pipeline place plain plausible plenty plug plus poke polite poll poor popular portion position positive
possibly post postpone potentially practical practice precede precise precisely predict prefer prefix prepare
presence press pressure presumably pretty prevail prevent previously principle print priority probable probably
probe proceed produce production professional profile program project prolong promise promote prompt promptly proof
proper properly property propose protect proud prove provide proxy publish pull pulse pump punctual purge purpose
push puzzle quality quarter question quick quicker quickly quiet quietly quit quite quiz quote race raise ramp
random randomly rang rapid rapidly rare rarely rather rca re react reality realize reasonable reassure reboot
rebuild rebuilt recall receive recheck recipe recognise recognize recommend reconnect reconsider recover recreate
recur recurrence red redeploy redirect redone refactor reference refine reflect refuse regard regarding regardless
regression regret regular regularly relate relation relative relax relay relevant reliable relief reluctant rely
remain remark remedy remember remind reminder remotely rename renew repair repeat repeatedly reply reproduce rescue
research resend resolution resolve respect respond responder rest restore restrict resume retain rethink retire
retry reveal reverse rewrite rid ring rise risen risk risky roadmap robust role roll rollout room rose rough roughly
routine rude rumor rumour runaway runbook rung runner rush sad safe safely safety sake sanity sank satisfy saturate
save scale scared scatter scenario scene scheme scope score scratch screen screenshot script scroll search seasonal
secondary secret secure security seek seem self sense sensible sensitive sentence separate separately serious
seriously serve settle setup severe severely shake shaken shallow shan shape sharp sharply shell shock shook
shortcut shortly shot shouldn shout shrank shrunk shut shutdown sibling side sign signal silence silent silently
silly similarly simple simpler simply simultaneous simultaneously sit site sketch skew skill skip sla slack sleep
slept slice slid slide slight slightly slip slo slowdown slowness smart smell smooth smoothly software sold sole
solid solution solve somehow sometime sometimes somewhat somewhere sort sought sound spare speak special specific
specifically speculate speed spend spike spill split spoke spoken spot spread spun squeeze stable stack staff stage
stale stall stand stare starve steady steal steep stem step stick stole stolen stood storm story strange strategy
stress stretch strict strictly strike string strongly struck struggle stuck study stuff stumble style subject submit
subscribe subsequent subsequently subtle succeed success successful successfully sudden suddenly suffer sufficient
suggest suggestion suit suitable sunk support suppose surely surface surge surprise surround survive suspect suspend
suspicious sustain swam swear swept swift swing swung symptom tail talk taste taught tbd teach teammate tear
technical technique temporarily tend tenfold tense tenth term terminal terminate terrible test tester thank thanks
theory thereafter thin think thought thousand thread threat threw throttle throughout throw thrown tidy tight
tighten tightly tiny tired toggle tolerate tone tonight tool topic topmost tore torn touch tough toward towards
track traffic trail train transform transient transition transparent trap treat tremendous trend trial trick tricky
trip triple trouble truly trust truth tunnel twice twist twofold typically typo ugly ultimate ultimately unaffected
unavailable unaware unchanged unclear understand understood undone undoubted unexpectedly unfair unfortunate
unfortunately unhappy unhealthy uniform unless unlike unlikely unnecessary unplug unrelated unresponsive unstable
untouched unusable unused unusual unusually unwanted upcoming upload upper upset upstream upward upwards urge urgent
usable useful useless usual usually utterly vague vaguely validate valuable vanish variant variety various vast ve
vendor viable vice victim violate visible visibly vision visit visual vital voice volatile vs vulnerable wake wakeup
walk wander want warm warn warning wash wasn waste wasteful watcher wave wear weather web website weekend weekly
weigh weight weird welcome weren whatever whenever whereas wherever whichever whoever whom whoops widely wider wild
willing wind wip wise wish withdrawn withdrew woke woken women won wonder word wording wore workaround workflow
worry worse worst worth worthwhile wouldn wound wrap written wrong wrongly yep yet yield yourself yup zone
"""
COMMON = frozenset(_WORDS.split())
