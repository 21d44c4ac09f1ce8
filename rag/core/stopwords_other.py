"""Stop words of languages for which the Snowball project has none, folded.

Function words alone. Those of eo, et, eu, ga, hy and st are those of stopwords-iso, see NOTICE.
"""

from typing import Final

OTHER_STOP_WORDS: Final = {
    "ar": """
        اذ اذا الا التي الذي الذين اللاتي اللتان اللذان اللواتي الي اليه اليها اليهم ام اما
        ان انا انت انتم انني انه انها انهم او اوليك اي ايضا اين ايه ب بان بدون بعد بعض بل
        بما به بها بهذا بهذه بهم بين تكن تكون تلك تم ثم حتي حول حيث حين خلال دون ذاك ذلك سوف
        سوي ضد عبر علي عليه عليها عليهم عما عن عند عندما عنه عنها عنهم غير ف فقط في فيما فيه
        فيها فيهم قبل قد ك كان كانت كانوا كذلك كل كلا كم كما كي كيف ل لا لان لانه لانها لدي
        لقد لك لكن لكنه لكنها لكي لم لما لماذا لن لنا له لها لهم لو لولا لي ليس ليست ما ماذا
        متي مثل مع معه معها معهم مما من منذ منه منها منهم نحن نحو هذا هذان هذه هل هم هما هن
        هنا هناك هو هولاء هي و يا يتم يكن يكون يكونوا يمكن
    """,
    "ca": """
        a aixo al als amb aquell aquella aquelles aquells aquest aquesta aquestes aquests
        cada com d da de del dels des el ella elles ells els em en ens entre era eren es
        esta estan et fins ha han havia hi ho i jo l la les li llavors m meu meus meva meves
        mi molt n ni no nosaltres o on per pero perque poden pot qual quals qualsevol quan
        quant quanta quantes quants que qui s se sense ser seu seus seva seves si sobre son
        sota t tambe te tot tota totes tots tu un una unes uns us va van vosaltres
    """,
    "cs": """
        a aby ale ani ano asi az bez bude budou by byl byla byli bylo byt ci co coz do ho i
        ja jak jaka jake jako jaky je jeho jej jeji jejich jemu jen jeste jestli jestlize ji
        jich jim jimi jiz jsem jsi jsme jsou jste k kam kazda kazde kazdy kde kdo kdy kdyz
        ke kolik ktera ktere kteri kterou ktery ku ma maji mezi mi mit mne moje muj muze my
        na nad nam nas nase ne nebo nebyl nebyla neni nez nic nich nim o od on ona oni ono
        pak po pod podle pokud potom pred pres pri pro proc protoze s se si sice sva sve
        svuj ta tak take takze tato tedy ten tento teto tim to tohle toho tom tomto tomu
        toto tu tuto ty tyto u uz v vam vas ve vsak vy z za zda ze
    """,
    "el": """
        αλλα αν απο αυτα αυτεσ αυτη αυτησ αυτο αυτοι αυτοσ αυτου αυτων για γιατι δε δεν
        διοτι εαν εγω ειμαι ειμαστε ειναι εισαι ειτε εκεινη εκεινο εκεινοσ εμεισ ενα ενασ
        ενοσ ενω επειδη επισησ εσεισ εσυ εχει εχουν εχω εωσ η ηταν θα καθε και κατα κι μασ
        με μετα μεταξυ μεχρι μη μην μια μιασ μονο μου μπορει μπορουν να ο οι ολα ολεσ ολοι
        ομωσ οπου οπωσ οταν οτι παρα πιο ποια ποιεσ ποιο ποιοι ποιοσ πολυ ποσα ποσεσ ποσο
        ποσοι ποτε που πρεπει πριν προσ πωσ σαν σασ σε σου στα στη στην στισ στο στον στουσ
        τα την τησ τι τισ το τον του τουσ των χωρισ ωσ
    """,
    "eo": """
        adiau ajn al ankorau antau au bonan bonvole bonvolu bv ci cia cian cin cio cion ciu
        ciujn ciun cu d-ro da de dek deka do doktor' doktoro du dua dum eble ec ekz ekzemple
        en estas estis estos estu estus f-no felican for fraulino gi gia gian gin gis ha
        havas havis havos havu havus he ho hu ili ilia ilian ilin inter io ion iu iujn iun
        ja jam je jes jus k kaj ke kio kion kiu kiujn kiun kvankam kvar kvara kvazau kvin
        kvina la li lia lian lin malantau male malgrau mem mi mia mian min minus nau naua ne
        nek nenio nenion neniu neniun nepre ni nia nian nin nu nun nur ok oka oni onia onian
        onin plej pli plu plus por post preter s-no s-ro se sed sep sepa ses sesa si sia
        sian sin sinjor' sinjorino sinjoro sub super supren sur tamen tio tion tiu tiujn
        tiun tra tri tria tuj tute unu unua ve versajne vi via vian vin
    """,
    "et": """
        aga ara ei et ja jah kas koik kui ma me mida midagi mind minu mis mu mul mulle nad
        nii oled olen oli oma on pole sa seda see selle siin siis ta te
    """,
    "eu": """
        al anitz arabera asko baina bat batean batek bati batzuei batzuek batzuetan batzuk
        bera beraiek berau berauek bere berori beroriek beste bezala da dago dira ditu du
        dute edo egin ere eta eurak ez gainera gu gutxi guzti haiei haiek haietan hainbeste
        hala han handik hango hara hari hark hartan hau hauei hauek hauetan hemen hemendik
        hemengo hi hona honek honela honetan honi hor hori horiei horiek horietan horko
        horra horrek horrela horretan horri hortik hura izan ni noiz nola non nondik nongo
        nor nora ze zein zen zenbait zenbat zer zergatik ziren zituen zu zuek zuen zuten
    """,
    "fa": """
        از است اما ان انها او ايا ايشان اين اگر با باشد باشند بايد بر براي بعد به بود بودند
        بين تا تو خود دارد دارند داشت در دو را روي زير شد شده شما شود قبل كجا كدام كرد كرده
        كسي كند كنند كه كي ما من مي ميتواند ميشود ميكند نمي نه نيز هر هست هستند هم همان همه
        همين هيچ و ولي يا يك پس پيش چرا چند چنين چه چون چگونه
    """,
    "ga": """
        a ach ag agus an aon ar arna as b' ba beirt bhur caoga cead ceathair ceathrar chomh
        chto chuig chun cois cuig cuigear d' da daichead dar de deich deichniur den dha do
        don dti e eis faoi faoin faoina faoinar fara fiche gach gan go gur haon hocht i iad
        idir in ina inar ins is le leis lena lenar m' mar me mo na nach naoi naonur ni nior
        no nocha o ocht ochtar on ona onar os roimh sa se seacht seachtar seachto seasca
        seisear si siad sibh sinn sna tar thar thu tri trina trinar triocha triur tu um
    """,
    "hi": """
        अगर अपना अपनी अपने आप आपका आपकी आपके इन इस इसका इसकी इसके इसमें इसे उन उनका उनकी
        उनके उस उसका उसकी उसके उसे एक एवं और कब कर करता करती करते करना कहाँ कहां का कि किए
        कितना कितनी कितने किया किस किसका किसकी किसके किसे की कुछ के कैसा कैसे को कोई कौन
        क्या क्यों गई गए गया चाहिए जब जा जाता जाती जाते जिन जिस जिसका जिसकी जिसके जिसे जो तक
        तथा तब तुम तो था थी थे द्वारा न नहीं ना ने पर परंतु पहले बाद भी मगर मत में मेरा मेरी
        मेरे मैं यदि यह या ये रहा रही रहे लिए लेकिन वह वे सकता सकती सकते साथ से हम हमारा
        हमारी हमारे ही हुआ हुई हुए है हैं हो होता होती होते होना
    """,
    "hy": """
        այդ այլ այն այս դու դուք եմ են ենք ես եւ եք է էի էին էինք էիր էիք էր ըստ թ ի ին իսկ
        իր կամ համար հետ հետո մենք մեջ մի ն նա նաեւ նրա նրանք որ որը որոնք որպես ու ում պիտի
        վրա
    """,
    "id": """
        ada adalah akan antara apa apabila apakah atau bagaimana bagi bahwa beberapa berapa
        bila bisa bukan dalam dan dapat dari daripada dengan di dia hanya harus hingga ia
        ini itu jika juga kami kamu kapan karena ke kepada ketika kita lagi lain maka mana
        masih mengapa mereka namun oleh pada para pun saat saja sama sampai saya sebagai
        sebuah sedang sehingga sejak selama semua seperti serta setelah setiap siapa suatu
        sudah supaya tapi telah tentang terhadap tersebut tetapi tidak untuk yaitu yakni
        yang
    """,
    "lt": """
        ar arba as bei bet buna buti butu buvo dar del gali i iki ir is ja jai jam jame jei
        jeigu ji jie jis jo jog joje jos ju juo juos kad kada kai kaip kas kiek kieno kodel
        kokia kokie kokios koks kur kuri kuria kurie kurio kurios kuris kuriu man mane mes
        mus musu ne nei nera nes nuo o pagal pas per po prie pries savo su ta taciau tada
        tai taip tas tie tik to tokia toks tos tu tuo uz visas visi visos yra
    """,
    "pl": """
        a aby albo ale ani az beda bedzie bez bo by byc byl byla bylo byly co cos czego
        czemu czy czyli dla dlaczego dlatego do gdy gdyby gdyz gdzie go i ich ile im inne
        inny iz ja jak jaka jaki jakie jako je jednak jego jej jemu jesli jest jestem
        jeszcze jezeli juz kazda kazde kazdy kiedy kto ktora ktore ktorego ktorej ktory
        ktorych ktorym ktorzy lub ma maja mi mnie moga moj moja moje moze mozna my na nad
        nam nas nasz nasza nasze nawet nich nie niej nim niz o od on ona one oni ono oraz po
        pod podczas poniewaz przed przez przy sa sam sie sobie swoj swoje ta tak taka taki
        takie takze tam te tego tej ten tez to tu tych tylko tym u w was wasz we wszystkie
        wszystko wtedy wy z za zas ze zeby
    """,
    "ro": """
        a acea aceasta aceea acei aceia acel acela acele acelea acest acesta aceste acestea
        acestei acestor acestui acum ai al ale alt alta alte altii altul am ar are as asa
        asupra au avea avem avut ca cand care carei careia caror carui caruia cat cata cate
        cati ce cea cei cel cele celor celui chiar ci cine cu cui cum da daca dar data de
        decat deci deja deoarece desi despre din dintr dintre doar dupa ea ei el ele era
        erau este eu fara fi fie fiecare fiind foarte fost i ii il imi in inainte inca intr
        intre intru isi iti l la le li lor lui ma mai mea mei mele mi mult multa multe multi
        ne ni nici niste noastra noastre noi nostri nostru nu o ori orice pe pentru peste
        poate pot prin sa sai sale sau se si spre sub sunt suntem sunteti ta tau te ti toata
        toate tot toti tu un una unde unei unele unor unora unui unuia unul va vei voastra
        voi vom vor vostru
    """,
    "sr": """
        a ako ali bez bi bila bile bili bilo bio biti ce cu da do dok ga gde i ih ili im iz
        ja je jedan jedna jedno jer jesu joj jos ju kad kada kako kao ko koja koje koji
        kojih kojim kojima kojoj koju koliko li me medu meni mi mogu mora moraju moze mu na
        nad nakon nam nas ne nego neka neki neko nema ni nije nisu njega njegov njih njihov
        njoj o od oko on ona oni ono po pod pre preko prema pri sa samo se sebe si smo sta
        sto su sve svi svoj ta tada taj tako takode te ti to toga tome tu u uz vam vas vec
        vi za zasto а ако али без би била биле били било био бити вам вас већ ви га где да
        до док за зашто и из или им их кад када како као ко колико која које који којим
        којима којих којој коју ли ме мени међу ми могу може мора морају му на над након нам
        нас наш не него нека неки неко нема ни нису није о од око он она они оно по под пре
        преко према при са само све сви свој се себе си смо су та тада тако такође тај те ти
        то тога томе ту у уз шта што ја је један једна једно јер јесу још јој ју њега његов
        њих њихов њој ће ћу
    """,
    "st": """
        a ba bane bona e ea eaba empa ena ha hae hape ho hore ka ke la le li me mo moo ne o
        oa re sa se tloha tsa tse
    """,
    "ta": """
        அதன் அது அந்த அல்லது அவன் அவர் அவர்கள் அவள் ஆகிய ஆகும் இங்கு இதன் இது இந்த இந்தக்
        இருக்கும் இருந்த இருந்தது இருந்து இவர் இவை உள்ள உள்ளது உள்ளன எங்கே எது எத்தனை எந்த
        என என் என்ன என்னும் என்பது என்ற என்று என்றும் எப்படி எப்போது ஏன் ஒரு ஓர் கொண்ட
        கொண்டு சில தனது தன் தான் நான் நீ பற்றி பல பலரும் பின்னர் பிறகு போது போன்ற மற்றும்
        மிகவும் மீது முதல் மேலும் யார் வந்த வந்து வரை வேண்டும்
    """,
    "yi": """
        א אבער אדער אויב אויך אויף און אונדז אז איז איך אים אין איר אלע אן ביז ביי בין ביסט
        דא דאן דאס דו די דיר דעם דער האב האבן האט וואו וואס ווי וועט וועלכע וועלן ווען ווער
        ווערט ווערן זאל זאלן זי זיי זיין זיך זענען יי מוז מיט מיר מען נאך נאר ניט נישט עס ער
        פאר פארוואס פון צו צי קען קענען
    """,
}
