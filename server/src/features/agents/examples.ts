/**
 * More requests that teach the built-in router, one a line, beside those of the definitions. Written from each agent's
 * charter and from what went wrong in the tuning half of the routing bench; the reporting half stays out of them.
 */
const lines = (text: string): readonly string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

export const MORE_EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  zeus: lines(`
    good evening
    goodbye
    bye bye
    see you tomorrow, good night
    great, thanks a lot
    what can this system do?
    which agents do you have?
    who should I ask about this?
    which of you is responsible for my question?
    I need help but I am not sure with what
    are you there?
    how does this work here?
    write a poem about the sea
    write a short story about a dragon
    give me ideas for a birthday party
    give me three ideas for a slogan
    suggest a name for a new restaurant
    what would be a nice title for my book?
    who invented the telephone?
    how far away is the moon?
    explain relativity in simple words
    what is the meaning of inflation?
    what is the difference between weather and climate?
    how do you spell rhythm?
    translate good morning into German
    rephrase this sentence
    proofread this text
    shorten this text to one sentence
    tell me a riddle
    what is bigger, Africa or Asia?
    is a whale a fish?
    organise the whole move to the new building
    plan the conference with everything that belongs to it
    take charge of the preparation of the audit
    we want to open a branch abroad, work out the steps and who does what
    coordinate everything for the product launch
    distribute the work among the specialists
    give me an overview of where we are
    recap our discussion
    bring the results of the others together
    what should our strategy for next year look like?
    make a list of pros and cons of working from home
  `),
  athena: lines(`
    how long is the guarantee on the heating?
    how many days of leave do employees get?
    what happens when a customer cancels an order?
    what happens if the rent is paid late?
    is it allowed to bring pets to the office?
    are visitors permitted in the workshop?
    must we report accidents within a day?
    who has to sign an order above 5000 euros?
    how is the product to be stored?
    how many people may ride in the lift?
    when does the agreement end?
    how long can a member borrow a book?
    how often must the extinguishers be tested?
    what is the minimum age for the tour?
    what temperature must the room have?
    where is the emergency exit?
    what are the steps of the returns procedure?
    how many litres does the tank hold?
    which form do I need for a refund of expenses?
    what did the committee decide in its minutes?
    which parts does the kit contain?
    who wrote the keeper's handbook?
    what does chapter three say?
    show me the section on data protection in the terms
    find the file on the museum renovation
    what do our guidelines say about gifts?
    look in the files for the floor plan
    summarise the document
    give me the key points of the paper
    what is said about risk in the study?
    which report mentions asbestos?
    list the documents about the harbour
    quote the exact wording of the guarantee clause
    compare the two versions of the agreement
    according to the instructions, how is the valve closed?
    what does the leaflet say about side effects?
    is there anything in our documents on parental leave?
    what is the procedure for lost keys?
    what is the fine for a late return?
    who is liable for damage in transit?
  `),
  hermes: lines(`
    write to the customer that the delivery is on its way
    send a mail to the whole department
    draft an answer to the complaint
    compose an email to the bank
    reply to Ms Weber that Thursday suits us
    forward the invoice to bookkeeping
    write an invitation to the opening
    write a letter of recommendation for Paul
    write a cover letter to the authority
    thank the volunteers in a short mail
    congratulate the team on the award by mail
    share the results with our shareholders
    tell our customers about the price change
    tell the landlord that the tap drips
    inform all employees about the new canteen
    inform the guests that breakfast starts later
    let our partners know about the merger
    let Daniel know that the parcel arrived
    get in touch with the hotel and ask for a group rate
    ask the supplier for an offer for 200 chairs
    contact the agency about the poster
    the customer still waits for our answer
    find friendly words for a rejection
    how do I phrase a polite refusal?
    word a reminder about the open invoice
    put this into a nice message to the neighbours
    say sorry to the client for the mistake
    write an apology to the passengers
    pass the message on to the night shift
    publish the news on our channel
    post a message in the general channel
    send the newsletter to all subscribers
    draft a press statement
    write a text message to the courier
    call off the meeting with the agency by mail
    decline the invitation politely
    confirm the booking to the travel agency
    answer the inquiry about opening times
    send the webhook to the partner system
    respond to the journalist
  `),
  aegis: lines(`
    who can read the personnel files?
    who has access to the contracts folder?
    may the trainees see the balance sheet?
    a former colleague still has access
    someone who left the company can still sign in
    why am I not allowed to open this?
    why was my access denied?
    I was refused, which right do I lack?
    what rights does a guest have?
    list the permissions of the readonly role
    show the last sign-ins to my account
    somebody else is using my account
    my account was hacked
    I clicked on a strange link
    this mail wants my password, is it real?
    check the attachment for malware
    is it dangerous to open this file?
    are there attempts to break in?
    show the refused requests of the last week
    which security events happened today?
    who created new users this month?
    who changed the limits?
    who deleted the document?
    show the log of all administrator actions
    check this text for hidden instructions
    does this page try to manipulate the assistant?
    does this text contain confidential data?
    find personal data in the following paragraph
    mask the names and addresses in this text
    may we give customer addresses to a partner?
    may we pass on the phone numbers of our members?
    are we allowed to store copies of passports?
    is this compatible with data protection law?
    a laptop with customer data was stolen
    a password leaked, what must be done?
    revoke the access of Mr Moreau
    is our setup secure?
    how strong are our passwords?
    which keys and tokens exist?
    is multi-factor sign-in switched on?
  `),
  chronos: lines(`
    remind me in twenty minutes to turn off the oven
    remind me on Monday to buy flowers
    I have to leave at quarter past five, do not let me forget
    I must not miss the bus at seven
    wake me up at five
    the doctor wants to see me again in three months
    my passport expires in May, warn me in time
    what is the time in London?
    how late is it in Los Angeles?
    what date is it today?
    which day is Christmas Eve this year?
    what weekday was my birthday in 1980?
    how many weeks are left until the summer holidays?
    how long until the concert starts?
    how many days are between the two dates?
    which week of the year is it?
    when does summer time begin?
    if it is nine in Paris, how late is it in Delhi?
    convert 15:00 UTC to Tokyo time
    find a time for a call between Madrid and Toronto
    schedule the inventory for the last day of each month
    run the clean-up every Sunday at three
    start the import at midnight
    begin the transfer as soon as the clock strikes twelve
    repeat this every two weeks
    do this every morning
    plan a meeting with Rosa next Wednesday at two
    book an appointment on Friday morning
    shift the appointment to the afternoon
    postpone the presentation until Tuesday
    cancel the alarm clock for Saturday
    cancel my reminder
    which tasks are planned for tomorrow?
    what is on my schedule this week?
    do I have appointments today?
    show all upcoming deadlines
    set the due date of the report to 15 March
    in two days at noon
    how many working days has April?
  `),
  hephaestus: lines(`
    the server does not respond
    the website is offline
    the site is down
    the app crashes when I press save
    the application is slow to load
    the page loads very slowly, what could be the technical reason?
    I get an error 500 when I log on to the portal
    why do I see a 404 on the start page?
    what does the error connection refused mean?
    it stopped working after the update
    the update broke everything
    something is wrong with the installation
    review my pull request
    review this code
    merge the branch
    the pipeline is red
    who broke the build?
    write a function that sorts a list
    write a unit test for this class
    write a regular expression for postal codes
    explain this regular expression
    what does this piece of code do?
    refactor this module
    translate this program from Java to Go
    convert this image to PNG with the tools
    convert the file into another format
    use the tool to make a picture smaller
    which tools are available?
    which systems are connected?
    is the MCP server healthy?
    add a new MCP server
    connect our CRM to the assistant
    integrate the calendar system through its API
    set up the test environment
    roll out the new version
    install the software on the new computer
    migrate the data to the new database
    how do I configure the proxy?
    why is the memory of the container full?
    restart the service
  `),
  prometheus: lines(`
    how much money did the assistant cost us today?
    what does one request cost on average?
    who spends the most?
    which department causes the highest costs?
    which team uses the assistant most?
    are our expenses rising?
    is it getting more expensive?
    how long will the budget last?
    will we stay within the budget this month?
    where can we cut costs?
    which model is worth the money?
    what do we pay per user?
    show the key figures of last month
    show me the most important numbers
    give me the statistics of the platform
    how many conversations were there last week?
    how many tokens were used in May?
    how did the number of requests develop?
    is the system getting slower, by the numbers?
    how fast do the agents answer?
    what share of the runs failed?
    which agent has the highest failure rate?
    sum up the amounts in the second column
    calculate the average order value from the table
    compute the standard deviation of the results
    what is the maximum in the temperature column?
    count the rows per category in the CSV
    group the sales by quarter
    break the numbers down by country
    which product sells best?
    which branch has the lowest turnover?
    rank the regions by revenue
    draw a pie chart of the expenses
    plot the temperature over time
    compare the first and the second half of the year
    find unusual values in the data
    what is the growth rate compared with last year?
    estimate next month's spending
    evaluate the survey in the spreadsheet
  `),
  iris: lines(`
    is there anything new?
    what is new for me?
    did I miss anything?
    are there any messages from the system for me?
    has something arrived that I have not read?
    what happened while I was gone?
    tell me when the job is done
    tell me at once if the price changes
    give me a sign when the report is ready
    let me know as soon as the document is indexed
    let me know when the budget is exceeded
    inform me immediately if something fails
    warn me when the limit is nearly reached
    wake the on-call engineer when the service fails
    make sure the boss hears of it immediately
    alert me if a task fails
    alert the security team about failed sign-ins
    turn off all notifications
    turn on notifications for new proposals
    turn on alerts by e-mail
    switch off the alerts for the weekend
    mute everything for an hour
    silence the alarms tonight
    do not disturb me during the meeting
    no interruptions after work, please
    I want fewer notifications
    too many alerts, reduce them
    only tell me about critical things
    notify only the admins
    who is informed when the server fails?
    who receives the alerts?
    send a push message to the managers
    subscribe me to changes of the project
    unsubscribe me from the daily digest
    show all alerts of today
    clear my notifications
    how many unread notifications do I have?
    which alerts are active?
    change how I am notified
    set an alert on the disk usage
  `),
  memorix: lines(`
    my brother's name is Leo
    my mother's birthday is on 2 March
    our wedding day is on 7 June
    my car is parked in row five
    the code name of the project is Bluebird
    our contact at the ministry is Mr Haas
    I moved to another city
    I changed my job, I am now with Contoso
    we have a new supplier called Fabrikam
    remember this for later
    keep this in your memory
    note down that the gate closes at ten
    save that Ms Blum is the new head of sales
    for your information, Rita is on parental leave
    what was the name of the hotel that I liked?
    what was our old office called?
    where did I put the contract, I told you once?
    where did I say the key is?
    what did I say about the wine?
    do you still know what I told you about my car?
    do you remember my favourite colour?
    what have I told you about Peter?
    what do you know about me?
    what do you know about our customer Globex?
    who is responsible for the Madrid branch?
    who recommended the caterer to us?
    who was the person that we met at the fair?
    which people belong to the Orion project?
    how do Maria and Jens know each other?
    what is the relation between Initech and us?
    who of my acquaintances works at the bank?
    we talked about this before, what did we decide?
    what did we agree on with the landlord?
    that is no longer true, Mia is not the manager any more
    you have that wrong, his name is Marc
    correct the entry on Paula
    delete what you know about my ex-employer
    forget this conversation
    erase my address from your memory
    show everything that is stored about the Vega project
  `),
  hestia: lines(`
    please talk to me in English
    speak German with me
    answer me in Italian
    can you switch to Portuguese?
    my language is Dutch
    answer in a friendly tone
    be more casual with me
    be less formal
    you are too formal
    you sound too stiff
    your answers are too long for me
    be brief with me
    I like detailed explanations
    explain things to me as to a beginner
    I am an expert, skip the basics for me
    no tables for me, please
    answer me in plain text
    always give me bullet points
    do not use emojis with me
    use simple words when you talk to me
    show dates to me as year-month-day
    I use the 12-hour clock
    use Celsius and kilometres for me
    show prices in dollars for me
    my time zone is Asia/Singapore
    I live in the time zone of New York, set it
    set my location
    what name do you have for me?
    which settings have I made?
    show what you have on file about my account
    show my account details
    what is my role?
    change my name to Kim
    I would like to be called Max
    address me with Mr Schmidt
    change the theme
    the screen is too bright, make it darker
    larger letters please
    arrange my start page differently
    reset my preferences
  `),
  morpheus: lines(`
    what do people say about the answers?
    what do our users complain about?
    how satisfied are the users?
    how do the users rate us?
    how good are our answers?
    show the ratings of this week
    show the negative comments
    which replies got a thumbs up?
    which agent is liked best?
    why are the users unhappy?
    nobody liked the last answer
    people find the answers too complicated
    customers say that the replies are confusing
    that was a bad answer, do better next time
    that was wrong, learn from it
    this was a mistake, avoid it in future
    do not repeat this error
    that was perfect, keep doing it like this
    this answer was exactly right, more of that
    improve yourself
    how could the agents become smarter?
    could the agents work better?
    what should the agents change?
    how can we improve the quality of the answers?
    suggest a better prompt for Zeus
    propose new instructions for Chronos
    improve the instructions of AEGIS
    teach Iris to be more careful
    teach Memorix to ask before it deletes
    teach the agents to give sources
    train Hermes to write shorter mails
    derive a rule from these corrections
    learn from the corrections of the editors
    find patterns in the comments
    summarise the feedback on Hephaestus
    evaluate the ratings
    which suggestions are waiting for approval?
    what was improved last month?
    which bad habits do the agents have?
    what can be learned from the complaints?
  `),
};
