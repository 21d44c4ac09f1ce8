"""Stop words of the Snowball project, folded; copied, see NOTICE.

Words that are nouns of a subject too are left out (``estado``, ``jo``), question words added.
"""

from typing import Final

SNOWBALL_STOP_WORDS: Final = {
    "da": """
        ad af alle alt anden at blev blive bliver da de dem den denne der deres det dette
        dig din disse dog du efter eller en end er et for fra ham han hans har havde have
        hende hendes her hos hun hvad hvilke hvilken hvilket hvis hvor hvordan hvorfor
        hvornar i ikke ind jeg jer jo kan kunne ma man med meget men mig min mine mit mod
        nar ned noget nogle nu og ogsa om op os over pa sadan selv sig sin sine sit skal
        skulle som thi til ud under var vi vil ville vor være været
    """,
    "es": """
        a al algo algunas algunos ante antes asi como con contra cual cuales cuando cuanta
        cuantas cuanto cuantos de debe deben del desde donde durante e el ella ellas ellos
        en entre era erais eramos eran eras eres es esa esas ese eso esos esta estaba
        estabais estabamos estaban estabas estais estamos estan estando estar estara estaran
        estaras estare estareis estaremos estaria estariais estariamos estarian estarias
        estas este esteis estemos esten estes esto estos estoy estuve estuviera estuvierais
        estuvieramos estuvieran estuvieras estuvieron estuviese estuvieseis estuviesemos
        estuviesen estuvieses estuvimos estuviste estuvisteis estuvo fue fuera fuerais
        fueramos fueran fueras fueron fuese fueseis fuesemos fuesen fueses fui fuimos fuiste
        fuisteis ha habeis habia habiais habiamos habian habias habida habidas habido
        habidos habiendo habra habran habras habre habreis habremos habria habriais
        habriamos habrian habrias han has hasta hay haya hayais hayamos hayan hayas he hemos
        hube hubiera hubierais hubieramos hubieran hubieras hubieron hubiese hubieseis
        hubiesemos hubiesen hubieses hubimos hubiste hubisteis hubo la las le les lo los mas
        me mi mia mias mio mios mis mucho muchos muy ni no nos nosotras nosotros nuestra
        nuestras nuestro nuestros o os otra otras otro otros para pero poco por porque puede
        pueden que quien quienes se sea seais seamos sean seas segun sera seran seras sere
        sereis seremos seria seriais seriamos serian serias si sin sobre sois somos son soy
        su sus suya suyas suyo suyos tambien tanto te tendra tendran tendras tendre tendreis
        tendremos tendria tendriais tendriamos tendrian tendrias tened teneis tenemos tenga
        tengais tengamos tengan tengas tengo tenia teniais teniamos tenian tenias tenida
        tenidas tenido tenidos teniendo ti tiene tienen tienes todo todos tu tus tuve
        tuviera tuvierais tuvieramos tuvieran tuvieras tuvieron tuviese tuvieseis tuviesemos
        tuviesen tuvieses tuvimos tuviste tuvisteis tuvo tuya tuyas tuyo tuyos un una uno
        unos vosostras vosostros vuestra vuestras vuestro vuestros y ya yo
    """,
    "fi": """
        ei eivat emme en et etta ette han haneen hanella hanelle hanelta hanen hanessa
        hanesta hanet hanta he heidan heidat heihin heilla heille heilta heissa heista heita
        itse ja johon joiden joihin joiksi joilla joille joilta joina joissa joista joita
        joka joksi jolla jolle jolta jona jonka jos jossa josta jota jotka kanssa keiden
        keihin keiksi keilla keille keilta keina keissa keista keita keneen keneksi kenella
        kenelle kenelta kenen kenena kenessa kenesta kenet keta ketka koska kuin kuinka kuka
        kun me meidan meidat meihin meilla meille meilta meissa meista meita mihin mika
        miksi milla mille milloin milta mina minka minua minulla minulle minulta minun
        minussa minusta minut minuun missa mista mita miten mitka mukaan mutta naiden naihin
        naiksi nailla naille nailta naina naissa naista naita nama ne niiden niihin niiksi
        niilla niille niilta niin niina niissa niista niita noiden noihin noiksi noilla
        noille noilta noin noina noissa noista noita nuo nyt ole olemme olen olet olette oli
        olimme olin olisi olisimme olisin olisit olisitte olisivat olit olitte olivat olla
        olleet ollut on onko ovat poikki se seka sen siihen siina siita siksi silla sille
        silta sina sinua sinulla sinulle sinulta sinun sinussa sinusta sinut sinuun sita
        tahan tai taksi talla talle talta tama taman tana tassa tasta tata te teidan teidat
        teihin teilla teille teilta teissa teista teita tuo tuohon tuoksi tuolla tuolle
        tuolta tuon tuona tuossa tuosta tuota vaan vai vaikka voi voivat yli
    """,
    "hu": """
        a abban ahhoz ahogy ahol aki akik akkor alatt altal altalaban amely amelyek
        amelyekben amelyeket amelyet amelynek ami amig amikor amit amolyan annak arra arrol
        at az azert azok azon azonban azt aztan azutan azzal bar be belul benne csak de e
        ebben eddig egesz egy egyeb egyes egyetlen egyik egyre ehhez ekkor el eleg ellen elo
        eloszor elott elso emilyen en ennek eppen erre es ez ezek ezen ezert ezt ezzel fel
        fele hanem hany hiszen hogy hogyan hol igen igy ill illetve ilyen ilyenkor ismet itt
        jobban kell kellett keresztul ki kinek kivul kozott kozul legalabb legyen lehet
        lehetett lenne lenni lesz lett maga magat majd mar mas masik meg mellett mely melyek
        melyik mennyi mert mi miert mig mikor milyen minden mindenki mindent mindig mint
        mintha mit mivel most nagy nagyobb nagyon ne neha nehany nekem neki nelkul nem nincs
        o ok oket olyan ossze ott pedig persze ra s sajat sem semmi sok sokat sokkal szamara
        szemben szerint szinte talan tehat teljes tobb tovabb tovabba ugy ugyanis uj ujabb
        ujra utan utana utolso vagy vagyis vagyok valaki valami valamint valo van vannak
        vele vissza viszont volna volt voltak voltam voltunk
    """,
    "it": """
        a abbia abbiamo abbiano abbiate ad agl agli ai al all alla alle allo anche avemmo
        avendo avesse avessero avessi avessimo aveste avesti avete aveva avevamo avevano
        avevate avevi avevo avra avrai avranno avrebbe avrebbero avrei avremmo avremo
        avreste avresti avrete avro avuta avute avuti avuto c che chi ci coi col come con
        contro cui da dagl dagli dai dal dall dalla dalle dallo degl degli dei del dell
        della delle dello deve devono di dov dove e ebbe ebbero ebbi ed era erano eravamo
        eravate eri ero essendo faccia facciamo facciano facciate faccio facemmo facendo
        facesse facessero facessi facessimo faceste facesti faceva facevamo facevano
        facevate facevi facevo fai fanno fara farai faranno farebbe farebbero farei faremmo
        faremo fareste faresti farete faro fece fecero feci fosse fossero fossi fossimo
        foste fosti fu fui fummo furono gli ha hai hanno ho i il in io l la le lei li lo
        loro lui ma mi mia mie miei mio ne negl negli nei nel nell nella nelle nello noi non
        nostra nostre nostri nostro o per perche pero piu possono puo qual quale quali
        quando quanta quante quanti quanto quella quelle quelli quello questa queste questi
        questo quindi sara sarai saranno sarebbe sarebbero sarei saremmo saremo sareste
        saresti sarete saro se sei si sia siamo siano siate siete sono sta stai stando
        stanno stara starai staranno starebbe starebbero starei staremmo staremo stareste
        staresti starete staro stava stavamo stavano stavate stavi stavo stemmo stesse
        stessero stessi stessimo steste stesti stette stettero stetti stia stiamo stiano
        stiate sto su sua sue sugl sugli sui sul sull sulla sulle sullo suo suoi ti tra tu
        tua tue tuo tuoi tutti tutto un una uno vi voi vostra vostre vostri vostro
    """,
    "ne": """
        अक्सर अगाडि अगाडी अझै अनुसार अन्तर्गत अन्य अन्यथा अब अरु अरू अर्का अर्की अर्को
        अर्थात अर्थात् अर्ब अलग अलिकति असार आइतवार आए आज आठ आत्म आदि आफू आफ्नै आफ्नो आयो
        आश्विन उदाहरण उन उप उही एउटै एक एकदम एकै ओठ औं कति कतै कत्रा कत्री कत्रो करोड कस
        कसरी कसै कस्ता कस्ती कस्तो कहिल्यै कहीं का कार्तिक कि किन किनभने कुन कुनै कुरा कृपया
        के केहि केही को कोही क्रमशः खर्ब गयौ चाँडै चार चाले चाहनुहुन्छ चाहन्छु चाहिए चैत
        चौथो छ छन् छु छू छैन छौँ छौं जताततै जति जत्रा जत्री जत्रो जब जबकि जस जस्ता जस्ती
        जस्तो जस्तोसुकै जहाँ जान जाहिर जुन जे जेठ जो जोसुकै ठीक त तत्काल तथा तदनुसार तपाई
        तपाईं तर तल तापनि तापनी तिन तिनी तिमी तिर ती तीन तुरुन्तै तेस्कारण तेस्रो त्यसकारण
        त्यसपछि त्यसमा त्यसैले त्यहाँ त्यो त्सपछि त्सैले थिए थिएन थिएनन् थियो थोरै दस दिए
        दिनुभएको दिनुहुन्छ दुई देख देखि देखिन्छ देखियो देखे देखेको देखेर देख्न दोश्रो दोस्रो
        धेरै न नजिकै नत्र नयाँ नि निम्ति निम्न निम्नानुसार निर्दिष्ट नै नौ पक्का पक्कै पछि
        पछिल्लो पटक पनि पर्छ पर्थ्यो पर्याप्त पर्सी पहिले पहिलो पहिल्यै पाँच पाँचौं पूर्व
        पौष प्रति प्रतेक प्रत्येक प्रथम प्लस फागुन फेरि फेरी बने बन्द बन्न बरु बाटो बारे
        बाहिर बाहेक बिरुद्ध बिशेष बिहिवार बीच बुधवार भए भदौ भन् भर भित्र भित्री भोलि भोली म
        मंसिर मङ्गलवार महिना मा माघ मात्र माथि मुख्य मेरो यति यत्ति यत्रा यत्री यत्रो यथोचित
        यदि यद्यपि यस यसरी यसो यस्ता यस्ती यस्तो यहाँ या यिन यिनी यी यो र रही रहेका रहेको
        राखे राख्छ राम्रो रूप लगभग लाई लाख लागि ले वरिपरि वरीपरी वर्ष वास्तवमा वाहेक विरुद्ध
        विशेष वैशाख शनिवार शायद शुक्रवार सँग सँगै संग संगै सक्छ सट्टा सधै सधैं सबै समय सम्भव
        सम्म सय सही साँच्चै साउन सात साथ साथै सायद सारा सुन्ना सो सोध्न सोमवार सोही स्पष्ट
        हजार हप्ता हरे हरेक हामी हाम्रो हिजो हुन्छ होला होस्
    """,
    "nl": """
        aan al alles als altijd andere ben bij daar dan dat de der deze die dit doch doen
        door dus een eens en er ge geen geweest haar had heb hebben heeft hem het hier hij
        hoe hoeveel hun iemand iets ik in is ja je kan kon kunnen maar mag me meer men met
        mij mijn moet mogen na naar niet niets nog nu of om omdat onder ons ook op over
        reeds te tegen toch toen tot u uit uw van veel voor waar waarom wanneer want waren
        was wat welke werd wezen wie wil worden wordt zal ze zelf zich zij zijn zo zonder
        zou
    """,
    "no": """
        a alle at av bade bae bare begge ble blei bli blir blitt da de deg dei deim deira
        deires dem den denne der dere deres det dette di din disse ditt du dykk dykkar eg
        ein eit eitt eller elles en enn er et ett etter for fordi fra ha hadde han hans har
        hennar henne hennes her hja ho hoe honom hoss hossen hun hva hvem hver hvilke
        hvilken hvilket hvis hvor hvordan hvorfor i ikke ikkje ingen ingi inkje inn inni ja
        jeg kan kom korleis korso kun kunne kva kvar kvarhelst kven kvi kvifor ma man mange
        me med medan meg meget mellom men mi min mine mitt mot mykje na nar ned no noe noen
        noka noko nokon nokor nokre og ogsa om opp oss over pa sa samme sann seg selv si sia
        sidan siden sin sine sitt sjol skal skulle slik so som somme somt til um upp ut uten
        var vart varte ved vere verte vi vil ville vore vors vort være vært
    """,
    "pt": """
        a ao aos aquela aquelas aquele aqueles aquilo as ate com como da das de dela delas
        dele deles depois deve devem do dos e ela elas ele eles em entre era eram eramos
        essa essas esse esses esta estamos estao estas estava estavam estavamos este esteja
        estejam estejamos estes esteve estive estivemos estiver estivera estiveram
        estiveramos estiverem estivermos estivesse estivessem estivessemos estou eu foi
        fomos for fora foram foramos forem formos fosse fossem fossemos fui ha haja hajam
        hajamos hao havemos hei houve houvemos houver houvera houveram houveramos houverao
        houverei houverem houveremos houveria houveriam houveriamos houvermos houvesse
        houvessem houvessemos isso isto ja lhe lhes mais mas me mesmo meu meus minha minhas
        muito na nao nas nem no nos nossa nossas nosso nossos num numa o onde os ou para
        pela pelas pelo pelos pode podem por porque quais qual quando quanta quantas quanto
        quantos que quem sao se seja sejam sejamos sem sera serao serei seremos seria seriam
        seriamos seu seus so sobre somos sou sua suas tambem te tem temos tenha tenham
        tenhamos tenho tera terao terei teremos teria teriam teriamos teu teus teve tinha
        tinham tinhamos tive tivemos tiver tivera tiveram tiveramos tiverem tivermos tivesse
        tivessem tivessemos tu tua tuas um uma voce voces vos
    """,
    "ru": """
        а без более больше будет будто бы был была были было быть в вам вас вдруг ведь во
        вот впрочем все всегда всего всех всю вы где да даже два для до другои его ее еи ему
        если есть еще ж же за зачем здесь и из или им иногда их к как какая какие каков
        какое какои когда конечно которая которое которые которыи кто куда ли лучше между
        меня мне много может можно мои моя мы на над надо наконец нас не него нее неи нельзя
        нет ни нибудь никогда ним них ничего но ну о об один он она они опять от перед по
        под после потом потому почему почти при про раз разве с сам свою себе себя сеичас
        сколько со совсем так такои там тебя тем теперь то тогда того тоже только том тот
        три тут ты у уж уже хорошо хоть чего чем через что чтоб чтобы чуть эти это этого
        этои этом этот эту я
    """,
    "sv": """
        alla allt an ar at att av blev bli blir blivit da dar de dem den denna deras dess
        dessa det detta dig din dina ditt du efter ej eller en er era ert ett far for fran
        ha hade han hans har henne hennes hon honom hur i icke ingen inom inte jag ju kan
        kunde man med mellan men mig min mina mitt mot mycket nagon nagot nagra nar ni nu
        och om oss over pa sa sadan sadana sadant samma sedan sig sin sina sitta sjalv
        skulle som till under upp ut utan vad var vara varfor varit varje vars vart vem vi
        vid vilka vilkas vilken vilket
    """,
    "tr": """
        acaba ama aslinda az bazi belki ben bir biri birkac biz bu bunu cok cunku da daha de
        defa diye eger en gibi gore hangi hem hep hepsi her hic icin ile ise kac kadar kez
        ki kim kimin mi midir mu nasil ne neden nerde nerede nereye nicin niye o olan olarak
        oldugu onlar sanki sen sey siz su tum var ve veya ya yani zaman
    """,
}
